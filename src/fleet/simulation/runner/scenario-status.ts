import type { SimulationScenario } from '#api/simulation/simulation-scenario';
import { formatDuration, parseDuration } from '#platform/base/duration';
import { timestamp } from '#platform/base/timestamp';
import type { ScenarioCounters } from '../engine/scenario-engine.ts';

export type ScenarioStatus = NonNullable<SimulationScenario['status']>;
export type ScenarioPhase = NonNullable<ScenarioStatus['phase']>;

/** Progress of a scenario that runs or ran. Times are milliseconds; `simulated` and `real` count from its start. */
export interface ScenarioProgress {
  readonly now: number;
  readonly phase: ScenarioPhase;
  readonly simulated: number;
  readonly real: number;
  readonly counts: { readonly nodes: number; readonly running: number; readonly pending: number };
  readonly migrations: number;
  readonly counters: ScenarioCounters;
  readonly message: string;
}

const DAY = 86_400_000;

/** Returns the simulated time of day at which a scenario starts. */
export function startOf({ spec, status }: SimulationScenario, now: number): number {
  if (spec.startTime !== undefined) return Date.parse(spec.startTime);
  const began = status?.startTime === undefined ? now : Date.parse(status.startTime);
  return Math.floor(began / DAY) * DAY;
}

/** Returns the status of a scenario that has started. */
export function scenarioStatus(scenario: SimulationScenario, progress: ScenarioProgress): ScenarioStatus {
  const { metadata, status: before } = scenario;
  const { now, phase, simulated, real, counts, migrations, counters, message } = progress;
  const start = startOf(scenario, now);
  const isOver = phase === 'Completed' || phase === 'Failed';
  const written = (ms: number) => formatDuration(Math.floor(ms / 1000) * 1000);
  return {
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    phase,
    startTime: before?.startTime ?? timestamp(now),
    ...(isOver ? { completionTime: before?.completionTime ?? timestamp(now) } : {}),
    currentSimulatedTime: timestamp(start + simulated),
    elapsedRealTime: written(real),
    elapsedSimulatedTime: written(simulated),
    nodes: counts.nodes,
    vms: counters.vms,
    runningVMs: counts.running,
    pendingVMs: counts.pending,
    migrations,
    appliedEvents: counters.appliedEvents,
    totalTasksGenerated: counters.totalTasksGenerated,
    droppedTasks: counters.droppedTasks,
    activeTasks: counters.activeTasks,
    conditionalEvents: counters.conditionalEvents.map(({ name, times, last }) => ({
      name,
      times,
      ...(last === undefined ? {} : { lastTime: timestamp(start + last) }),
    })),
    ...(message === '' ? {} : { message }),
    conditions: conditionsOf(before, phase, now, message),
  };
}

/** Returns the status of a scenario that no process runs anymore, with its last known progress. */
export function abandonedStatus(scenario: SimulationScenario, now: number): ScenarioStatus {
  const { status = {}, spec } = scenario;
  const message = `the process that ran it stopped after ${status.elapsedSimulatedTime ?? '0s'} of ${formatDuration(parseDuration(spec.duration))}: delete it and create it again`;
  return failedStatus(scenario, now, message);
}

/** Returns the status of a scenario that failed to start or to continue. */
export function failedStatus(
  { status = {}, metadata }: SimulationScenario,
  now: number,
  message: string,
): ScenarioStatus {
  return {
    ...status,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    phase: 'Failed',
    completionTime: timestamp(now),
    message,
    conditions: conditionsOf(status, 'Failed', now, message),
  };
}

function conditionsOf(
  before: ScenarioStatus | undefined,
  phase: ScenarioPhase,
  now: number,
  message: string,
): NonNullable<ScenarioStatus['conditions']> {
  const isTrue = { Ready: phase === 'Running', Completed: phase === 'Completed', Failed: phase === 'Failed' };
  return Object.entries(isTrue).map(([type, holds]) => {
    const status = holds ? ('True' as const) : ('False' as const);
    const known = before?.conditions?.find((each) => each.type === type);
    const since = known?.status === status ? (known.lastTransitionTime ?? timestamp(now)) : timestamp(now);
    const reported = type === 'Failed' && holds ? { message } : {};
    return { type, status, reason: phase, ...reported, lastTransitionTime: since };
  });
}
