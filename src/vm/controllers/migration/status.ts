import { MIGRATION_PHASES, type MigrationPhase } from '#api/kubevirt/group';
import { VMIS, type Vmi, type Vmim } from '#api/kubevirt/resources';
import { timestamp } from '#platform/base/timestamp';
import { conditionOf, type KubeCondition, withCondition } from '#platform/kube/kinds/condition';
import { apiVersionOf } from '#platform/kube/kinds/resource-type';
import type { KubeOwnerReference } from '#platform/kube/kube-object';

export type MigrationStatus = NonNullable<Vmim['status']>;
export type MigrationState = NonNullable<NonNullable<Vmi['status']>['migrationState']>;

export const phaseOf = ({ status }: Vmim): MigrationPhase => status?.phase ?? 'Pending';
export const isMigrationFinished = (vmim: Vmim) => phaseOf(vmim) === 'Succeeded' || phaseOf(vmim) === 'Failed';

/** Makes a migration go with its instance, since it is of no use to anybody once that is gone. */
export function migrationOwnerReference({ metadata: { name, uid } }: Vmi): KubeOwnerReference {
  return { apiVersion: apiVersionOf(VMIS), kind: VMIS.kind, name, uid };
}

/** What the instance says of this very migration; undefined where it was not told of it. */
export function migrationStateOf({ metadata }: Vmim, vmi: Vmi | undefined): MigrationState | undefined {
  const state = vmi?.status?.migrationState;
  return state?.migrationUid === metadata.uid ? state : undefined;
}

/** The status in a later phase; phases that were over too soon to be written began and ended with it. */
export function withMigrationPhase(vmim: Vmim, phase: MigrationPhase, now: number): MigrationStatus {
  const { status = {} } = vmim;
  const times = status.phaseTransitionTimestamps ?? [];
  const known = new Set(times.map((time) => time.phase));
  if (phaseOf(vmim) === phase && known.has(phase)) return status;
  const passed = phase === 'Failed' ? [phase] : MIGRATION_PHASES.slice(0, MIGRATION_PHASES.indexOf(phase) + 1);
  const phaseTransitionTimestamp = timestamp(now);
  const added = passed.filter((each) => !known.has(each)).map((each) => ({ phase: each, phaseTransitionTimestamp }));
  return { ...status, phase, phaseTransitionTimestamps: [...times, ...added] };
}

/** When the migration came into a phase, in milliseconds; undefined where it is not known. */
export function since({ status }: Vmim, phase: MigrationPhase): number | undefined {
  const time = status?.phaseTransitionTimestamps?.find((each) => each.phase === phase)?.phaseTransitionTimestamp;
  return time === undefined || time === null ? undefined : Date.parse(time);
}

/** The end of a migration, with all that is known of how it went. */
export function finishedMigrationStatus(
  vmim: Vmim,
  state: MigrationState | undefined,
  failure: string | undefined,
  now: number,
) {
  const at = timestamp(now);
  const told = state ?? vmim.status?.migrationState;
  const known = { migrationUid: vmim.metadata.uid, endTimestamp: at, ...told, completed: true };
  const migrationState = failure === undefined ? known : { failureReason: failure, ...known, failed: true };
  return { ...withMigrationPhase(vmim, failure === undefined ? 'Succeeded' : 'Failed', now), migrationState };
}

/** Whether a node was found for the target; said from when none was found. */
export const TARGET_SCHEDULED = 'TargetScheduled';

/** The status once a node was found, where it was said that there is none. */
export function withTargetScheduled(status: MigrationStatus, now: number): MigrationStatus {
  if (status.phase === 'Scheduling' || conditionOf(status.conditions, TARGET_SCHEDULED)?.status !== 'False')
    return status;
  const condition = { type: TARGET_SCHEDULED, status: 'True', reason: 'Scheduled', message: '' } as const;
  return withMigrationCondition(status, condition, now);
}

/** The status with a condition, in whatever phase. */
export function withMigrationCondition(
  status: MigrationStatus,
  condition: KubeCondition,
  now: number,
): MigrationStatus {
  const conditions = withCondition(status.conditions ?? [], condition, timestamp(now));
  return { ...status, conditions: conditions };
}
