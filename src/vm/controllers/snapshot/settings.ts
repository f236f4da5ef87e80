import type { Expectations } from '#platform/runtime/expectations';
import type { DependencyProviders } from '#vm/engine/dependency-provider';
import type { Dialect } from '#vm/engine/dialect';

/** How long things may take, by the clock of the operator. */
export interface SnapshotSettings {
  /** For how long a machine, or a disk of it, that is not there yet is waited for, and one that starts or stops. */
  readonly waitMs: number;
  /** How long a node may take to capture or restore. */
  readonly workMs: number;
  /** How long an error of the storage may stand, which tries again by itself, before a snapshot fails by it. */
  readonly errorMs: number;
  /** The only namespace that is looked after, where it is one. */
  readonly onlyNamespace?: string;
}

export const SNAPSHOT_SETTINGS: SnapshotSettings = { waitMs: 10 * 60_000, workMs: 2 * 60_000, errorMs: 60_000 };

/** What the parts of the controller share. */
export interface SnapshotDeps {
  readonly dialects: readonly Dialect[];
  readonly providers: DependencyProviders;
  readonly settings: SnapshotSettings;
  /** What was written of the snapshots of each machine, while the cache may not show it yet. */
  readonly written: Expectations;
}
