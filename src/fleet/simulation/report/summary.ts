import type { ScenarioCounters } from '../engine/scenario-engine.ts';
import type { MigrationRow } from './migration-row.ts';
import { type Oscillation } from './oscillation.ts';
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
}

const MAX_PROBLEMS = 100;

/** Returns the summary of the whole run. */
export function summaryOf(setting: RunConfig, found: RunResults): object {
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
    },
    migrations: {
      rebalancing_steps: found.steps,
      completed: done.length,
      failed: migrations.length - done.length,
      as_planned: done.filter(({ wanted: desired, to }) => desired === '' || desired === to).length,
      transfer_seconds_mean: mean(done.map(({ transfer_seconds }) => transfer_seconds)),
      down_seconds: roundTo6(done.reduce((sum, { down_seconds }) => sum + down_seconds, 0)),
    },
    oscillation: {
      machines: oscillations.length,
      returns: oscillations.reduce((sum, { returns }) => sum + returns, 0),
      /** Ratio of all completed moves. */
      share:
        done.length === 0 ? 0 : roundTo6(oscillations.reduce((sum, { returns }) => sum + returns, 0) / done.length),
    },
    slo_violations: Object.fromEntries(
      (['cpu', 'memory', 'placement'] as const).map((slo) => {
        const broken = violations.filter((violation) => violation.slo === slo);
        const seconds = broken.reduce((sum, { from, to }) => sum + to - from, 0);
        const vmSeconds = broken.reduce((sum, { vm_seconds }) => sum + vm_seconds, 0);
        return [slo, { count: broken.length, seconds: roundTo6(seconds), vm_seconds: roundTo6(vmSeconds) }];
      }),
    ),
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

type Figure = Exclude<keyof Sample, 't'>;

const average = (samples: readonly Sample[], figure: Figure) => mean(samples.map((sample) => sample[figure]));
const max = (samples: readonly Sample[], figure: Figure) =>
  samples.reduce((found, sample) => Math.max(found, sample[figure]), 0);
const mean = (values: readonly number[]) =>
  values.length === 0 ? 0 : roundTo6(values.reduce((sum, value) => sum + value, 0) / values.length);
