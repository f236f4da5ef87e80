import type { Vmi } from '#api/kubevirt/resources';
import { timestamp } from '#platform/base/timestamp';
import type { Machine } from '../machine-driver.ts';

export type AgentMigrationState = NonNullable<NonNullable<Vmi['status']>['migrationState']>;

/** Returns the migration state as its source reports it, unchanged if there is nothing to report. */
export function reportMigration(
  state: AgentMigrationState,
  machine: Machine | undefined,
  podName: string | undefined,
  now: number,
): AgentMigrationState {
  if (state.completed === true || state.sourcePod !== podName || state.migrationUid === undefined) return state;
  const { migration } = machine ?? {};
  const time = timestamp(now);
  if (migration?.uid !== state.migrationUid) {
    // It was aborted before it began, or was begun by a node agent that has since lost track of it.
    if (state.abortRequested === true) return failedState(state, 'the migration was aborted', time, time);
    const begun = (state.startTimestamp ?? '') !== '';
    return begun ? failedState(state, 'the node lost track of the migration', time, time) : state;
  }
  const startTimestamp = timestamp(migration.startedAt);
  const ended = timestamp(migration.endedAt ?? now);
  const { mode, totalBytes, transferredBytes, downtimeMs, expectedEndAt } = migration;
  if (migration.state === 'active') {
    // The end is reported once and after changes only, since progress follows from the time.
    const { expectedEndTimestamp: said, ...rest } = state;
    const expected = expectedEndAt === undefined ? {} : { expectedEndTimestamp: expectedEnd(said, expectedEndAt) };
    return { ...rest, startTimestamp, mode, totalBytes, ...expected };
  }
  const sent = { mode, totalBytes, transferredBytes, ...(downtimeMs === undefined ? {} : { downtimeMs }) };
  if (migration.state === 'completed') {
    return { ...state, startTimestamp, endTimestamp: ended, ...sent, completed: true };
  }
  return failedState({ ...state, ...sent }, migration.message ?? 'the migration failed', startTimestamp, ended);
}

/** Returns the expected end rounded up to seconds, or the reported one if it is about the same. */
function expectedEnd(said: string | null | undefined, at: number): string {
  if (said !== undefined && said !== null && Math.abs(Date.parse(said) - at) <= 1000) return said;
  return timestamp(Math.ceil(at / 1000) * 1000);
}

function failedState(state: AgentMigrationState, why: string, start: string, end: string): AgentMigrationState {
  return {
    ...state,
    startTimestamp: state.startTimestamp ?? start,
    endTimestamp: end,
    completed: true,
    failed: true,
    failureReason: why,
    ...(state.abortRequested === true ? { abortStatus: 'Succeeded' as const } : {}),
  };
}
