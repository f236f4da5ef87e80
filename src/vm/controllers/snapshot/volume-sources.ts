import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import type { Index } from '#platform/runtime/cache';
import type { Context } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { VOLUME_SNAPSHOT_GROUP } from './volume-snapshot-class.ts';

/** Returns the VolumeSnapshot that a claim is, or was, populated from. */
function sourceOf({ metadata, spec }: PersistentVolumeClaim): string[] {
  const { apiGroup, kind, name = '' } = spec.dataSource ?? {};
  return apiGroup === VOLUME_SNAPSHOT_GROUP && kind === 'VolumeSnapshot' ? [keyIn(metadata.namespace, name)] : [];
}

/** Indexes claims without a volume by their source. */
const unmade: Index<PersistentVolumeClaim> = {
  values: (claim) => (claim.spec.volumeName === undefined ? sourceOf(claim) : []),
};

const heldBy = ({ metadata, status }: Snapshot) =>
  (status?.disks ?? []).flatMap(({ volumeSnapshot }) =>
    volumeSnapshot === undefined ? [] : [keyIn(metadata.namespace, volumeSnapshot)],
  );

/** Indexes snapshots by the VolumeSnapshots that hold their disks. */
const holding: Index<Snapshot> = { values: heldBy };

/** Returns the keys of snapshots that may be deleted once a claim has its volume, or is gone. */
export function sourcesOf(claim: PersistentVolumeClaim, { cache }: Context): string[] {
  return sourceOf(claim).flatMap((key) => [...cache(VM_SNAPSHOTS).by(holding, key)].map(keyOf));
}

/**
 * Reports whether a volume is yet to be created from a snapshot. Storage creates none from a terminating VolumeSnapshot
 * and does not release it while a claim waits, so both would block each other.
 */
export function isAwaited(snapshot: Snapshot, { cache }: Context): boolean {
  return heldBy(snapshot).some((key) =>
    [...cache(PERSISTENT_VOLUME_CLAIMS).by(unmade, key)].some(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    ),
  );
}
