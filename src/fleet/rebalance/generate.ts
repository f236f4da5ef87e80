import type { Random } from '#platform/base/random';
import { cpuPressure, memoryPressure } from './pressure.ts';
import { REFERENCE_NODE } from './scenario.ts';

export const LOADS = ['light', 'mixed', 'heavy', 'progression'] as const;
export type LoadName = (typeof LOADS)[number];

/** Maximum size that the lab is designed for. */
export const MAX_SIZE = { nodes: 5_000, vms: 100_000 } as const;

export interface GenerateOptions {
  readonly load: LoadName;
  readonly nodes?: number;
  readonly vms?: number;
}

/** Node in the format of scenario files. */
export interface NodeRecord {
  readonly name: string;
  readonly cpu_usage: number;
  readonly cpu_pressure: number;
  readonly memory_usage: number;
  readonly memory_pressure: number;
  readonly vms: readonly VmRecord[];
}

export type VmRecord =
  | { readonly id: string; readonly cpu_consumption: number; readonly memory_consumption: number }
  | {
      readonly id: string;
      readonly cpu_cores: number;
      readonly memory_bytes: number;
      readonly cpu_utilization: number;
      readonly memory_utilization: number;
    };

/** Total usage of the VMs of a node, as ratios of it. */
interface Target {
  readonly cpu: number;
  readonly memory: number;
}

interface Recipe {
  readonly scenario: string;
  readonly nodes: number;
  readonly vms: number;
  /** Format of VMs. In the old one a VM requests what it uses; in the new one it has a size and uses a part of it. */
  readonly form: 'old' | 'new';
  /** Returns the usage of a node. With sized VMs, their sizes fill a node at most 2.2 times as much. */
  target(random: Random, at: number, nodes: number): Target;
}

const between = (random: Random, [low, high]: readonly [number, number]) => low + (high - low) * random.next();

/** Usage ranges by thirds of the nodes: low, medium and high. */
const MIXED: readonly { readonly cpu: readonly [number, number]; readonly memory: readonly [number, number] }[] = [
  { cpu: [0.12, 0.35], memory: [0.15, 0.4] },
  { cpu: [0.45, 0.65], memory: [0.4, 0.6] },
  { cpu: [0.8, 1.05], memory: [0.65, 0.92] },
];

const RECIPES: Readonly<Record<LoadName, Recipe>> = {
  light: {
    ...{ scenario: 'light_load', nodes: 6, vms: 112, form: 'new' },
    target: (random) => ({ cpu: between(random, [0.05, 0.4]), memory: between(random, [0.1, 0.45]) }),
  },
  mixed: {
    ...{ scenario: 'mixed_load', nodes: 12, vms: 643, form: 'old' },
    target: (random, at) => {
      const { cpu, memory } = MIXED[at % MIXED.length] as (typeof MIXED)[number];
      return { cpu: between(random, cpu), memory: between(random, memory) };
    },
  },
  heavy: {
    ...{ scenario: 'heavy_load', nodes: 10, vms: 833, form: 'old' },
    target: (random) => ({ cpu: between(random, [0.65, 1.15]), memory: between(random, [0.6, 0.95]) }),
  },
  progression: {
    ...{ scenario: 'simple_progression', nodes: 8, vms: 484, form: 'old' },
    target: (_random, at, nodes) => {
      const along = nodes > 1 ? at / (nodes - 1) : 0;
      return { cpu: 0.1 + 0.85 * along, memory: 0.1 + 0.75 * along };
    },
  },
};

/** Maximum total demand as a ratio of all nodes. */
const FULLEST = 0.95;
/** Relative sizes of VMs: many small ones, few large ones. */
const SIZES = [1, 1, 1, 1, 2, 2, 2, 4, 4, 8];
/** Minimum size of a VM with a size of its own. */
const MIN_SIZE = { cores: 2 ** -6, bytes: 2 ** 24 } as const;

/** Generates nodes full of VMs. The same options and random source give the same result. */
export function generate({ load, ...desired }: GenerateOptions, random: Random): { name: string; nodes: NodeRecord[] } {
  const recipe = RECIPES[load];
  const [nodes, vms] = [desired.nodes ?? recipe.nodes, desired.vms ?? recipe.vms];
  const fork = random.fork(recipe.scenario);
  const targets = within(Array.from({ length: nodes }, (_, at) => recipe.target(fork, at, nodes)));
  const counts = apportion(
    vms,
    targets.map(({ cpu, memory }) => cpu + memory),
  );
  let first = 1;
  const written = targets.map((target, at): NodeRecord => {
    const count = counts[at] as number;
    const names = Array.from({ length: count }, (_, i) => `vm-${first + i}`);
    first += count;
    return nodeOf(`kwok-node-${at + 1}`, names, target, recipe.form, fork);
  });
  return { name: recipe.scenario, nodes: written };
}

/** Scales targets down if all nodes together could not hold them, since VMs of crowded nodes must fit elsewhere. */
function within(targets: readonly Target[]): readonly Target[] {
  const average = targets.reduce((sum, { cpu }) => sum + cpu, 0) / targets.length;
  if (average <= FULLEST) return targets;
  return targets.map(({ cpu, memory }) => ({ cpu: (cpu * FULLEST) / average, memory }));
}

/** Splits a total into integers in proportion to weights. The rest goes to the largest remainders. */
function apportion(total: number, weights: readonly number[]): number[] {
  const whole = weights.reduce((sum, each) => sum + each, 0);
  const exact = weights.map((each) => (total * each) / whole);
  const counts = exact.map(Math.floor);
  const byRemainder = exact
    .map((each, at) => ({ at, remainder: each - Math.floor(each) }))
    .sort((a, b) => b.remainder - a.remainder || a.at - b.at);
  const left = total - counts.reduce((sum, each) => sum + each, 0);
  for (const { at } of byRemainder.slice(0, left)) counts[at] = (counts[at] as number) + 1;
  return counts;
}

function nodeOf(
  name: string,
  ids: readonly string[],
  target: Target,
  form: Recipe['form'],
  random: Random,
): NodeRecord {
  const sizes = ids.map(() => random.pick(SIZES));
  const cpu = shares(sizes, target.cpu, random);
  const memory = shares(sizes, target.memory, random);
  const vms = ids.map((id, at) => vmOf(id, cpu[at] as number, memory[at] as number, form));
  const cpuUsage = vms.reduce((sum, vm) => sum + usedBy(vm).cpu, 0);
  const memoryUsage = vms.reduce((sum, vm) => sum + usedBy(vm).memory, 0);
  return {
    name,
    cpu_usage: round(cpuUsage),
    cpu_pressure: round(cpuPressure(cpuUsage)),
    memory_usage: round(memoryUsage),
    memory_pressure: round(memoryPressure(memoryUsage)),
    vms,
  };
}

/** Splits a whole in proportion to sizes that randomly vary by up to one half. */
function shares(sizes: readonly number[], whole: number, random: Random): number[] {
  const weights = sizes.map((size) => size * between(random, [0.5, 1.5]));
  const sum = weights.reduce((total, each) => total + each, 0);
  return weights.map((each) => (whole * each) / sum);
}

function vmOf(id: string, cpu: number, memory: number, form: Recipe['form']): VmRecord {
  if (form === 'old') return { id, cpu_consumption: round(cpu), memory_consumption: round(memory) };
  const [cores, bytes] = [cpu * REFERENCE_NODE.cpuCores, memory * REFERENCE_NODE.memoryBytes];
  const size = { cores: nextOrderedSize(cores, MIN_SIZE.cores), bytes: nextOrderedSize(bytes, MIN_SIZE.bytes) };
  return {
    id,
    cpu_cores: size.cores,
    memory_bytes: size.bytes,
    cpu_utilization: round(cores / size.cores),
    memory_utilization: Math.min(1, round(bytes / size.bytes)),
  };
}

/** Returns the next power of two above the usage with some headroom: at most 2.2 times as much. */
function nextOrderedSize(used: number, min: number): number {
  return Math.max(min, 2 ** Math.ceil(Math.log2(used * 1.1)));
}

/** Returns the usage of a VM, as ratios of the reference node. */
function usedBy(vm: VmRecord): Target {
  if ('cpu_consumption' in vm) return { cpu: vm.cpu_consumption, memory: vm.memory_consumption };
  return {
    cpu: (vm.cpu_cores * vm.cpu_utilization) / REFERENCE_NODE.cpuCores,
    memory: (vm.memory_bytes * vm.memory_utilization) / REFERENCE_NODE.memoryBytes,
  };
}

const round = (value: number) => Math.round(value * 1e6) / 1e6;
