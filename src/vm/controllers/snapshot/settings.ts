import type { Expectations } from '#platform/runtime/expectations';
import type { DependencyProviders } from '#vm/engine/dependency-provider';
import type { Dialect } from '#vm/engine/dialect';

/** Timeouts, by the clock of the operator. */
export interface SnapshotSettings {
  /** Timeout for a VM or disk that does not exist yet, and for a VM that starts or stops. */
  readonly waitMs: number;
  /** Timeout for a node to capture or restore. */
  readonly workMs: number;
  /** Time for which a storage error, which is retried by the storage, may last before the snapshot fails. */
  readonly errorMs: number;
  /** Only namespace to manage. If absent, all are managed. */
  readonly onlyNamespace?: string;
}

export const SNAPSHOT_SETTINGS: SnapshotSettings = { waitMs: 10 * 60_000, workMs: 2 * 60_000, errorMs: 60_000 };

/** Dependencies that the parts of the controller share. */
export interface SnapshotDeps {
  readonly dialects: readonly Dialect[];
  readonly providers: DependencyProviders;
  readonly settings: SnapshotSettings;
  /** Writes to the snapshots of each VM that the cache may not show yet. */
  readonly written: Expectations;
}
