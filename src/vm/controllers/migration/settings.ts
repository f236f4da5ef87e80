import type { AdmissionRecheck } from '#vm/engine/admission-recheck';
import { LAUNCHER_SETTINGS, type LauncherSettings } from '#vm/engine/launcher/settings';

export interface MigrationLimits {
  /** Maximum number of migrations in progress. */
  readonly perCluster: number;
  /** Maximum number of these that leave one node. */
  readonly outboundPerNode: number;
}

export interface MigrationTimes {
  /** Timeout for a target that is unschedulable. */
  readonly unschedulableMs: number;
  /** Timeout for a target to run at all. */
  readonly pendingMs: number;
  /** Timeout for the target node to prepare for the VM. */
  readonly preparingMs: number;
  /** Timeout for the source node to start once the target is ready. */
  readonly startingMs: number;
}

export interface MigrationSettings extends MigrationLimits, MigrationTimes {
  readonly launcher: LauncherSettings;
  /** Number of finished migrations that are retained for each instance. */
  readonly retained: number;
  /** Rechecks stored objects. Absent if only objects that passed admission are stored. */
  readonly recheck?: AdmissionRecheck;
}

/** Default settings, with KubeVirt's values. */
export const MIGRATION_SETTINGS: MigrationSettings = {
  launcher: LAUNCHER_SETTINGS,
  perCluster: 5,
  outboundPerNode: 2,
  unschedulableMs: 5 * 60_000,
  pendingMs: 15 * 60_000,
  preparingMs: 5 * 60_000,
  startingMs: 5 * 60_000,
  retained: 5,
};

/** Blocks the deletion of a migration until it is aborted or finished. */
export const MIGRATION_FINALIZER = 'kubevirt.io/migrationJobFinalize';
/** Name of the migration that a target pod was created for. */
export const MIGRATION_NAME_ANNOTATION = 'kubevirt.io/migrationJobName';
/** Label on migrations that an eviction or a drain requested. Its value is the node to leave. */
export const EVACUATION_LABEL = 'kubevirt.io/evacuationMigration';
/** Label on migrations that bring a VM to a launcher of the size that its spec requests. */
export const WORKLOAD_UPDATE_LABEL = 'kubevirt.io/workloadUpdateMigration';
