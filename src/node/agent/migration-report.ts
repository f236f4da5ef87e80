import type { Vmi } from '../../kube/kinds/machines.ts';
import { timestamp } from '../../kube/timestamp.ts';
import type { Machine } from '../machine-driver.ts';

export type MigrationState = NonNullable<NonNullable<Vmi['status']>['migrationState']>;

/** What the source of a migration says of it; the state as it is where it has nothing to say. */
export function reportMigration(
  state: MigrationState,
  machine: Machine | undefined,
  podName: string | undefined,
  now: number,
): MigrationState {
  if (state.completed === true || state.sourcePod !== podName || state.migrationUid === undefined) return state;
  const { migration } = machine ?? {};
  const time = timestamp(now);
  if (migration?.uid !== state.migrationUid) {
    // Given up before it began, or begun by an agent that has forgotten it since.
    if (state.abortRequested === true) return failed(state, 'the migration was aborted', time, time);
    const begun = (state.startTimestamp ?? '') !== '';
    return begun ? failed(state, 'the node lost track of the migration', time, time) : state;
  }
  const startTimestamp = timestamp(migration.startedAt);
  const ended = timestamp(migration.endedAt ?? now);
  if (migration.state === 'active') return { ...state, startTimestamp, mode: 'PreCopy' };
  if (migration.state === 'completed') {
    return { ...state, startTimestamp, endTimestamp: ended, mode: 'PreCopy', completed: true };
  }
  return failed({ ...state, mode: 'PreCopy' }, migration.message ?? 'the migration failed', startTimestamp, ended);
}

function failed(state: MigrationState, why: string, start: string, end: string): MigrationState {
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
