import { isRatio } from '#api/simulation/resources';
import { toNumber, tryParseQuantity } from '#platform/base/quantity';
import type { Random } from '#platform/base/random';
import type { NewVm, Use } from './command.ts';
import type { LoadProfile, VmPool } from './scenario-spec.ts';
import { type Signal, signalOf } from './signal.ts';

/** Node size that fractional sizes refer to. */
export interface Reference {
  readonly cores: number;
  readonly bytes: number;
}

/** Load of VMs apart from tasks. The last setting counts. */
export interface LoadBehavior {
  readonly cpu?: Signal;
  readonly memory?: Signal;
}

/** VM of a scenario, and its last reported usage. */
export interface PoolVm {
  readonly name: string;
  readonly pool: string;
  readonly cores: number;
  readonly bytes: number;
  behavior: LoadBehavior;
  /** Usage of tasks on the VM. */
  taskCores: number;
  taskBytes: number;
  reported: Use;
}

const ALL: Use = { cpu: 1, memory: 1 };
const MILLI = 1000;

/** Returns the usage of a VM relative to its size. Memory never exceeds the size. */
export function useOf({ behavior, taskCores, taskBytes, cores, bytes }: PoolVm, time: number): Use {
  const cpu = (behavior.cpu?.(time) ?? 1) + taskCores / cores;
  const memory = (behavior.memory?.(time) ?? 1) + taskBytes / bytes;
  return { cpu: round(cpu), memory: round(Math.min(1, memory)) };
}

/**
 * Drift, in steps, from which the next step is reported. It is a little more than half a step, so that noise does not
 * toggle it.
 */
const DRIFT = 0.6;
/** Number of steps from which a change is reported as it is instead of in steps. */
const JUMP = 2;

/**
 * Returns the next usage to report, or undefined if the last one is close enough. Drift is reported in steps that are
 * half a step ahead, so that reports are right on average and do not lag.
 */
export function nextReported(use: Use, reported: Use, step: number): Use | undefined {
  const next = {
    cpu: stepValue(use.cpu, reported.cpu, step),
    memory: Math.min(1, stepValue(use.memory, reported.memory, step)),
  };
  return next.cpu === reported.cpu && next.memory === reported.memory ? undefined : next;
}

function stepValue(value: number, reported: number, step: number): number {
  const drift = value - reported;
  if (Math.abs(drift) < DRIFT * step) return reported;
  if (Math.abs(drift) >= JUMP * step) return value;
  return round(reported + Math.sign(drift) * step * Math.max(1, Math.round(Math.abs(drift) / step)));
}

/** Rounds to the three digits that are written to objects. It never returns a negative zero. */
const round = (value: number) => Math.round(Math.max(0, value) * MILLI) / MILLI;

/** Returns the load behavior of a profile. `random` belongs to the VM. */
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
 * Returns the size of a pool's VMs. A fractional size with a varying load is converted to CPUs and bytes, since a
 * fraction defines both the request and the usage of a VM.
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

/** Returns the VM to create. */
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
