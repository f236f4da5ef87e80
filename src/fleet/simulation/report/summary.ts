import type { AppliedEvent } from '../engine/command.ts';
import type { ScenarioCounters } from '../engine/scenario-engine.ts';
import type { Uptime } from '../runner/availability.ts';
import type { MigrationRow } from './migration-row.ts';
import { type Oscillation } from './oscillation.ts';
import type { OutageRow } from './outage-row.ts';
import { type Percentiles, percentilesOf } from './percentiles.ts';
import { roundTo6, type Sample } from './sample.ts';
import type { Violation } from './violation.ts';

/** Configuration of a run. It holds only choices, no measurements. */
export interface RunConfig {
  readonly scenario: string;
  readonly seed: string;
  /** Start in simulated time. */
  readonly start: string;
  /** Requested duration. A run that is stopped is shorter. */
  readonly duration_seconds: number;
  readonly nodes: number;
  readonly vms: number;
  readonly sample_seconds: number;
  readonly resolution: number;
  /** Settings of rebalancing. Absent if it was disabled. */
  readonly rebalance?: {
    readonly every_seconds: number;
    readonly algorithm: string;
    readonly mode: string;
    readonly planner: string;
    readonly destinations: string;
    readonly per_node: number;
    readonly per_step: number;
    readonly budget: number;
  };
  readonly slo: { readonly cpu: number; readonly memory: number };
}

/** Extent that a run reached. */
export interface RunExtent {
  readonly simulated_seconds: number;
  /** False if the run was stopped before its end. */
  readonly completed: boolean;
}

export interface RunResults {
  readonly reached: RunExtent;
  readonly samples: readonly Sample[];
  readonly migrations: readonly MigrationRow[];
  readonly violations: readonly Violation[];
  readonly oscillations: readonly Oscillation[];
  readonly steps: number;
  readonly counters: ScenarioCounters;
  readonly problems: readonly string[];
  /** Number of pauses that the scenario requested. */
  readonly pauses: number;
  readonly outages: readonly OutageRow[];
  readonly uptime: Uptime;
  readonly events: readonly EventRow[];
  /** Usage of the nodes that were up, over all samples. */
  readonly nodeCpu: Percentiles;
  readonly nodeMemory: Percentiles;
  /** Highest usage of CPU. Absent if no node was ever used. */
  readonly peak?: PeakLoad;
}

/** Event as it is written to files. The time is in seconds from the start. */
export interface EventRow extends Omit<AppliedEvent, 'at'> {
  readonly t: number;
}

export interface PeakLoad {
  readonly t: number;
  readonly node: string;
  readonly cpu: number;
}

/** Summary of a run, as it is written to a file. */
export type RunSummary = ReturnType<typeof summaryOf>;

const MAX_PROBLEMS = 100;

/** Returns the summary of the whole run. */
export function summaryOf(setting: RunConfig, found: RunResults) {
  const { samples, migrations, violations, oscillations, counters, problems } = found;
  const done = migrations.filter(({ error }) => error === '');
  const { scenario, seed, start, duration_seconds, ...rest } = setting;
  return {
    ...{ scenario, seed, start, duration_seconds },
    ...found.reached,
    ...rest,
    load: {
      cpu_mean: average(samples, 'cpu_mean'),
      cpu_max: max(samples, 'cpu_max'),
      cpu_sigma_mean: average(samples, 'cpu_sigma'),
      memory_mean: average(samples, 'memory_mean'),
      memory_max: max(samples, 'memory_max'),
      memory_sigma_mean: average(samples, 'memory_sigma'),
      pending_max: max(samples, 'pending'),
      vms_max: max(samples, 'vms'),
      node_cpu: found.nodeCpu,
      node_memory: found.nodeMemory,
      ...(found.peak === undefined ? {} : { busiest: found.peak }),
      before: figuresOf(samples[0]),
      after: figuresOf(samples.at(-1)),
    },
    availability: availabilityOf(found),
    migrations: {
      rebalancing_steps: found.steps,
      completed: done.length,
      failed: migrations.length - done.length,
      as_planned: done.filter(({ wanted: desired, to }) => desired === '' || desired === to).length,
      transfer_seconds_mean: mean(done.map(({ transfer_seconds }) => transfer_seconds)),
      transfer_seconds: percentilesOf(done.map(({ transfer_seconds }) => transfer_seconds)),
      down_seconds: roundTo6(done.reduce((sum, { down_seconds }) => sum + down_seconds, 0)),
    },
    oscillation: {
      machines: oscillations.length,
      returns: oscillations.reduce((sum, { returns }) => sum + returns, 0),
      /** Ratio of all completed moves. */
      share:
        done.length === 0 ? 0 : roundTo6(oscillations.reduce((sum, { returns }) => sum + returns, 0) / done.length),
    },
    slo_violations: byKind(['cpu', 'memory', 'placement'], (slo) => {
      const broken = violations.filter((violation) => violation.slo === slo);
      const seconds = broken.reduce((sum, { from, to }) => sum + to - from, 0);
      const vmSeconds = broken.reduce((sum, { vm_seconds }) => sum + vm_seconds, 0);
      return { count: broken.length, seconds: roundTo6(seconds), vm_seconds: roundTo6(vmSeconds) };
    }),
    events: {
      timeline: counters.appliedEvents,
      conditional: Object.fromEntries(counters.conditionalEvents.map(({ name, times }) => [name, times])),
      pauses: found.pauses,
    },
    tasks: {
      generated: counters.totalTasksGenerated,
      dropped: counters.droppedTasks,
      active_at_end: counters.activeTasks,
    },
    problems: problems.slice(0, MAX_PROBLEMS),
    ...(problems.length > MAX_PROBLEMS ? { further_problems: problems.length - MAX_PROBLEMS } : {}),
  };
}

/** Returns how long VMs did not run, and why. */
export function availabilityOf({ outages, uptime }: Pick<RunResults, 'outages' | 'uptime'>) {
  const seconds = (some: readonly OutageRow[]) =>
    roundTo6(some.reduce((sum, { down_seconds }) => sum + down_seconds, 0));
  const { expectedMs, downMs } = uptime;
  return {
    /** Part of the time during which VMs should have run and did. 1 if there were none. */
    ratio: expectedMs === 0 ? 1 : roundTo6(1 - downMs / expectedMs),
    vm_seconds: roundTo6(expectedMs / 1000),
    down_seconds: roundTo6(downMs / 1000),
    outages: outages.length,
    vms_affected: new Set(outages.map(({ vm }) => vm)).size,
    unrecovered: outages.filter(({ recovered }) => !recovered).length,
    outage_seconds: percentilesOf(outages.map(({ down_seconds }) => down_seconds)),
    by_cause: byKind(['node failure', 'node removal', 'migration', 'restart'], (kind) => {
      const some = outages.filter(({ cause }) => cause === kind);
      return { outages: some.length, down_seconds: seconds(some) };
    }),
  };
}

function byKind<K extends string, T>(kinds: readonly K[], of: (kind: K) => T): Record<K, T> {
  return Object.fromEntries(kinds.map((kind) => [kind, of(kind)])) as Record<K, T>;
}

/** Returns the figures of a sample that a reader compares before and after a run. */
function figuresOf(sample: Sample | undefined) {
  if (sample === undefined) return {};
  const { t, nodes_up, running, pending, cpu_mean, cpu_max, cpu_sigma, memory_mean, memory_max, memory_sigma } = sample;
  return { t, nodes_up, running, pending, cpu_mean, cpu_max, cpu_sigma, memory_mean, memory_max, memory_sigma };
}

type Figure = Exclude<keyof Sample, 't'>;

const average = (samples: readonly Sample[], figure: Figure) => mean(samples.map((sample) => sample[figure]));
const max = (samples: readonly Sample[], figure: Figure) =>
  samples.reduce((found, sample) => Math.max(found, sample[figure]), 0);
const mean = (values: readonly number[]) =>
  values.length === 0 ? 0 : roundTo6(values.reduce((sum, value) => sum + value, 0) / values.length);
