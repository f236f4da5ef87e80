import { isRatio } from '#api/simulation/resources';
import { toNumber, tryParseQuantity } from '#platform/base/quantity';
import type { Random } from '#platform/base/random';
import type { NewVm, Use } from './command.ts';
import type { LoadProfile, VmPool } from './scenario-spec.ts';
import { type Signal, signalOf } from './signal.ts';

/** A node that shares are of. */
export interface Reference {
  readonly cores: number;
  readonly bytes: number;
}

/** How busy machines are, apart from tasks: what was said last counts. */
export interface LoadBehavior {
  readonly cpu?: Signal;
  readonly memory?: Signal;
}

/** A machine of a scenario, and what it was last told to use. */
export interface PoolVm {
  readonly name: string;
  readonly pool: string;
  readonly cores: number;
  readonly bytes: number;
  behavior: LoadBehavior;
  /** What tasks use of it. */
  taskCores: number;
  taskBytes: number;
  reported: Use;
}

const ALL: Use = { cpu: 1, memory: 1 };
const MILLI = 1000;

/** What a machine uses of its size at a time. No machine uses more memory than it has. */
export function useOf({ behavior, taskCores, taskBytes, cores, bytes }: PoolVm, time: number): Use {
  const cpu = (behavior.cpu?.(time) ?? 1) + taskCores / cores;
  const memory = (behavior.memory?.(time) ?? 1) + taskBytes / bytes;
  return { cpu: round(cpu), memory: round(Math.min(1, memory)) };
}

/** How far a load may drift from what was told, in steps, before the next step is told: a little more than half of one, so that noise does not go back and forth. */
const DRIFT = 0.6;
/** From so many steps on, a change is no drift but a jump, and told as it is. */
const JUMP = 2;

/**
 * What a machine is told next: a load that drifts is told in steps, and half of them ahead of it, so that what machines
 * are told is right on average and not behind. Undefined where what was told is still near enough.
 */
export function nextReported(use: Use, told: Use, step: number): Use | undefined {
  const next = {
    cpu: stepValue(use.cpu, told.cpu, step),
    memory: Math.min(1, stepValue(use.memory, told.memory, step)),
  };
  return next.cpu === told.cpu && next.memory === told.memory ? undefined : next;
}

function stepValue(value: number, told: number, step: number): number {
  const drift = value - told;
  if (Math.abs(drift) < DRIFT * step) return told;
  if (Math.abs(drift) >= JUMP * step) return value;
  return round(told + Math.sign(drift) * step * Math.max(1, Math.round(Math.abs(drift) / step)));
}

/** As written into objects: three digits, which is finer than anybody looks. Never minus nothing. */
const round = (value: number) => Math.round(Math.max(0, value) * MILLI) / MILLI;

/** How a profile lets a machine behave; `random` is the machine's own. */
export function loadBehaviorOf(profile: LoadProfile | undefined, random: Random): LoadBehavior {
  if (profile === undefined) return {};
  return {
    cpu: signalOf(profile.cpu, random.fork('cpu')),
    ...(profile.memory === undefined ? {} : { memory: signalOf(profile.memory, random.fork('memory')) }),
  };
}

export function constantBehavior(
  before: LoadBehavior,
  use: { readonly cpu?: number; readonly memory?: number },
): LoadBehavior {
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
export function newVm(
  { name, reported }: PoolVm,
  { resources, isShare }: Pick<ReturnType<typeof sizeOf>, 'resources' | 'isShare'>,
  { labels = {}, dirtyRateMbps }: Pick<VmPool, 'labels' | 'dirtyRateMbps'>,
): NewVm {
  return {
    name,
    labels,
    resources,
    ...(isShare ? {} : { use: reported }),
    ...(dirtyRateMbps === undefined ? {} : { dirtyRateMbps }),
  };
}

export function poolVmOf(
  identity: Pick<PoolVm, 'name' | 'pool' | 'cores' | 'bytes'>,
  behavior: LoadBehavior,
  time: number,
): PoolVm {
  const vm: PoolVm = { ...identity, behavior, taskCores: 0, taskBytes: 0, reported: ALL };
  vm.reported = useOf(vm, time);
  return vm;
}
