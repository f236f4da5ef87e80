import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import type { Index } from '#platform/runtime/cache';
import type { Context } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { GROUP } from './volume-snapshot-class.ts';

/** The VolumeSnapshot that a claim is, or was, to be filled from. */
function sourceOf({ metadata, spec }: PersistentVolumeClaim): string[] {
  const { apiGroup, kind, name = '' } = spec.dataSource ?? {};
  return apiGroup === GROUP && kind === 'VolumeSnapshot' ? [keyIn(metadata.namespace, name)] : [];
}

/** Claims that have no volume yet, by what that is to be made from. */
const unmade: Index<PersistentVolumeClaim> = {
  values: (claim) => (claim.spec.volumeName === undefined ? sourceOf(claim) : []),
};

const heldBy = ({ metadata, status }: Snapshot) =>
  (status?.disks ?? []).flatMap(({ volumeSnapshot }) =>
    volumeSnapshot === undefined ? [] : [keyIn(metadata.namespace, volumeSnapshot)],
  );

/** Snapshots by the VolumeSnapshots that hold their disks. */
const holding: Index<Snapshot> = { values: heldBy };

/** The keys of snapshots that may go when a claim has its volume, or is gone. */
export function sourcesOf(claim: PersistentVolumeClaim, { cache }: Context): string[] {
  return sourceOf(claim).flatMap((key) => [...cache(VM_SNAPSHOTS).by(holding, key)].map(keyOf));
}

/**
 * Whether a volume is still to be made from a snapshot. Storage makes none from a VolumeSnapshot that is being deleted,
 * nor lets that go while a claim waits for it: so both would wait for each other.
 */
export function isAwaited(snapshot: Snapshot, { cache }: Context): boolean {
  return heldBy(snapshot).some((key) =>
    [...cache(PERSISTENT_VOLUME_CLAIMS).by(unmade, key)].some(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    ),
  );
}
