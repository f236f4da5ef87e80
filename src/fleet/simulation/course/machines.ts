import { isRatio } from '#api/simulation/resources';
import { toNumber, tryParseQuantity } from '#platform/base/quantity';
import type { Random } from '#platform/base/random';
import type { NewMachine, Use } from './deed.ts';
import type { LoadProfile, VmPool } from './scenario-spec.ts';
import { type Signal, signalOf } from './signal.ts';

/** A node that shares are of. */
export interface Reference {
  readonly cores: number;
  readonly bytes: number;
}

/** How busy machines are, apart from tasks: what was said last counts. */
export interface Conduct {
  readonly cpu?: Signal;
  readonly memory?: Signal;
}

/** A machine of a scenario, and what it was last told to use. */
export interface Machine {
  readonly name: string;
  readonly pool: string;
  readonly cores: number;
  readonly bytes: number;
  conduct: Conduct;
  /** What tasks use of it. */
  taskCores: number;
  taskBytes: number;
  told: Use;
}

const ALL: Use = { cpu: 1, memory: 1 };
const MILLI = 1000;

/** What a machine uses of its size at a time. No machine uses more memory than it has. */
export function useOf({ conduct, taskCores, taskBytes, cores, bytes }: Machine, time: number): Use {
  const cpu = (conduct.cpu?.(time) ?? 1) + taskCores / cores;
  const memory = (conduct.memory?.(time) ?? 1) + taskBytes / bytes;
  return { cpu: rounded(cpu), memory: rounded(Math.min(1, memory)) };
}

/** How far a load may drift from what was told, in steps, before the next step is told: a little more than half of one, so that noise does not go back and forth. */
const DRIFT = 0.6;
/** From so many steps on, a change is no drift but a jump, and told as it is. */
const JUMP = 2;

/**
 * What a machine is told next: a load that drifts is told in steps, and half of them ahead of it, so that what machines
 * are told is right on average and not behind. Undefined where what was told is still near enough.
 */
export function nextTold(use: Use, told: Use, step: number): Use | undefined {
  const next = { cpu: stepped(use.cpu, told.cpu, step), memory: Math.min(1, stepped(use.memory, told.memory, step)) };
  return next.cpu === told.cpu && next.memory === told.memory ? undefined : next;
}

function stepped(value: number, told: number, step: number): number {
  const drift = value - told;
  if (Math.abs(drift) < DRIFT * step) return told;
  if (Math.abs(drift) >= JUMP * step) return value;
  return rounded(told + Math.sign(drift) * step * Math.max(1, Math.round(Math.abs(drift) / step)));
}

/** As written into objects: three digits, which is finer than anybody looks. Never minus nothing. */
const rounded = (value: number) => Math.round(Math.max(0, value) * MILLI) / MILLI;

/** How a profile lets a machine behave; `random` is the machine's own. */
export function conductOf(profile: LoadProfile | undefined, random: Random): Conduct {
  if (profile === undefined) return {};
  return {
    cpu: signalOf(profile.cpu, random.fork('cpu')),
    ...(profile.memory === undefined ? {} : { memory: signalOf(profile.memory, random.fork('memory')) }),
  };
}

export function constantConduct(before: Conduct, use: { readonly cpu?: number; readonly memory?: number }): Conduct {
  const { cpu, memory } = use;
  return {
    ...before,
    ...(cpu === undefined ? {} : { cpu: () => cpu }),
    ...(memory === undefined ? {} : { memory: () => memory }),
  };
}

/**
 * The size of a pool's machines. One in shares of a node whose load changes is written in CPUs and bytes, because a share
 * of a node is what a machine asks for and what it uses, both at once.
 */
export function sizeOf({ resources }: Pick<VmPool, 'resources'>, reference: Reference, varies: boolean) {
  const [cpu, memory] = [amount(resources.cpu), amount(resources.memory)];
  const ratio = isRatio(resources.memory);
  const cores = Math.max(1 / MILLI, ratio ? cpu * reference.cores : cpu);
  const bytes = Math.max(2 ** 20, ratio ? memory * reference.bytes : memory);
  const absolute = { cpu: `${Math.ceil(cores * MILLI)}m`, memory: `${Math.ceil(bytes / 1024)}Ki` };
  const written = { cpu: `${resources.cpu}`, memory: `${resources.memory}` };
  return { cores, bytes, isShare: ratio && !varies, resources: ratio && varies ? absolute : written };
}

const amount = (text: string | number) => {
  const quantity = tryParseQuantity(text);
  return quantity === undefined ? 0 : toNumber(quantity);
};

/** What is asked for when a machine is made. */
export function newMachine(
  { name, told }: Machine,
  { resources, isShare }: Pick<ReturnType<typeof sizeOf>, 'resources' | 'isShare'>,
  { labels = {}, dirtyRateMbps }: Pick<VmPool, 'labels' | 'dirtyRateMbps'>,
): NewMachine {
  return {
    name,
    labels,
    resources,
    ...(isShare ? {} : { use: told }),
    ...(dirtyRateMbps === undefined ? {} : { dirtyRateMbps }),
  };
}

export function machineOf(
  identity: Pick<Machine, 'name' | 'pool' | 'cores' | 'bytes'>,
  conduct: Conduct,
  time: number,
): Machine {
  const machine: Machine = { ...identity, conduct, taskCores: 0, taskBytes: 0, told: ALL };
  machine.told = useOf(machine, time);
  return machine;
}
