import { MIGRATION_PHASES, type MigrationPhase } from '#api/kubevirt/group';
import { VMIS, type Vmi, type Vmim } from '#api/kubevirt/resources';
import { timestamp } from '#platform/base/timestamp';
import { conditionOf, type KubeCondition, withCondition } from '#platform/kube/kinds/condition';
import { apiVersionOf } from '#platform/kube/kinds/resource-type';
import type { KubeOwnerReference } from '#platform/kube/kube-object';

export type MigrationStatus = NonNullable<Vmim['status']>;
export type MigrationState = NonNullable<NonNullable<Vmi['status']>['migrationState']>;

export const migrationPhaseOf = ({ status }: Vmim): MigrationPhase => status?.phase ?? 'Pending';
export const isMigrationFinished = (vmim: Vmim) =>
  migrationPhaseOf(vmim) === 'Succeeded' || migrationPhaseOf(vmim) === 'Failed';

/** Makes the instance the owner of a migration, so that both are deleted together. */
export function migrationOwnerReference({ metadata: { name, uid } }: Vmi): KubeOwnerReference {
  return { apiVersion: apiVersionOf(VMIS), kind: VMIS.kind, name, uid };
}

/** Returns the instance's state of this very migration, or undefined if it was not announced. */
export function migrationStateOf({ metadata }: Vmim, vmi: Vmi | undefined): MigrationState | undefined {
  const state = vmi?.status?.migrationState;
  return state?.migrationUid === metadata.uid ? state : undefined;
}

/** Returns the status in a later phase. Phases that were too short to be written start and end with it. */
export function withMigrationPhase(vmim: Vmim, phase: MigrationPhase, now: number): MigrationStatus {
  const { status = {} } = vmim;
  const times = status.phaseTransitionTimestamps ?? [];
  const known = new Set(times.map((time) => time.phase));
  if (migrationPhaseOf(vmim) === phase && known.has(phase)) return status;
  const passed = phase === 'Failed' ? [phase] : MIGRATION_PHASES.slice(0, MIGRATION_PHASES.indexOf(phase) + 1);
  const phaseTransitionTimestamp = timestamp(now);
  const added = passed.filter((each) => !known.has(each)).map((each) => ({ phase: each, phaseTransitionTimestamp }));
  return { ...status, phase, phaseTransitionTimestamps: [...times, ...added] };
}

/** Returns when the migration entered a phase, in milliseconds, or undefined if that is unknown. */
export function since({ status }: Vmim, phase: MigrationPhase): number | undefined {
  const time = status?.phaseTransitionTimestamps?.find((each) => each.phase === phase)?.phaseTransitionTimestamp;
  return time === undefined || time === null ? undefined : Date.parse(time);
}

/** Returns the final status of a migration, with all that is known about its course. */
export function finishedMigrationStatus(
  vmim: Vmim,
  state: MigrationState | undefined,
  failure: string | undefined,
  now: number,
) {
  const at = timestamp(now);
  const reported = state ?? vmim.status?.migrationState;
  const known = { migrationUid: vmim.metadata.uid, endTimestamp: at, ...reported, completed: true };
  const migrationState = failure === undefined ? known : { failureReason: failure, ...known, failed: true };
  return { ...withMigrationPhase(vmim, failure === undefined ? 'Succeeded' : 'Failed', now), migrationState };
}

/** Condition that reports whether a node was found for the target. It is only set after none was found. */
export const TARGET_SCHEDULED = 'TargetScheduled';

/** Returns the status once a node was found, if it reported before that there is none. */
export function withTargetScheduled(status: MigrationStatus, now: number): MigrationStatus {
  if (status.phase === 'Scheduling' || conditionOf(status.conditions, TARGET_SCHEDULED)?.status !== 'False')
    return status;
  const condition = { type: TARGET_SCHEDULED, status: 'True', reason: 'Scheduled', message: '' } as const;
  return withMigrationCondition(status, condition, now);
}

/** Returns the status with a condition, in any phase. */
export function withMigrationCondition(
  status: MigrationStatus,
  condition: KubeCondition,
  now: number,
): MigrationStatus {
  const conditions = withCondition(status.conditions ?? [], condition, timestamp(now));
  return { ...status, conditions: conditions };
}
