import type { AdmissionRecheck } from '#vm/engine/admission-recheck';
import { LAUNCHER_SETTINGS, type LauncherSettings } from '#vm/engine/launcher/settings';

export interface MigrationLimits {
  /** Migrations under way at once. */
  readonly perCluster: number;
  /** Of those, how many leave one node. */
  readonly outboundPerNode: number;
}

export interface MigrationTimes {
  /** How long a target may fit nowhere. */
  readonly unschedulableMs: number;
  /** How long a target may take to run at all. */
  readonly pendingMs: number;
  /** How long the node of the target may take to get ready for the machine. */
  readonly preparingMs: number;
  /** How long the node of the source may take to begin once the target is ready. */
  readonly startingMs: number;
}

export interface MigrationSettings extends MigrationLimits, MigrationTimes {
  readonly launcher: LauncherSettings;
  /** Finished migrations of one instance that are kept to be looked at. */
  readonly retained: number;
  /** Absent where nothing is stored but what admission has let in. */
  readonly recheck?: AdmissionRecheck;
}

/** As KubeVirt has them. */
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

/** Holds a migration until it has been given up, or is over. */
export const MIGRATION_FINALIZER = 'kubevirt.io/migrationJobFinalize';
/** The name of the migration that a target pod was made for. */
export const MIGRATION_NAME_ANNOTATION = 'kubevirt.io/migrationJobName';
/** On migrations that an eviction or a drain asked for: the node that is left. */
export const EVACUATION_LABEL = 'kubevirt.io/evacuationMigration';
/** On migrations that bring a machine to a launcher of the size that its spec asks for. */
export const WORKLOAD_UPDATE_LABEL = 'kubevirt.io/workloadUpdateMigration';
