import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import type { Client, NewObject } from '#platform/kube/client';
import { resourceType } from '#platform/kube/kinds/resource-type';
import { ignoreNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { watchSource } from '#platform/runtime/controller';
import { keyIn } from '#platform/runtime/key';
import { VOLUME_SNAPSHOT_GROUP } from './volume-snapshot-class.ts';

/** Capture of a volume by a CSI driver. */
export interface VolumeSnapshot extends KubeObject {
  readonly spec: {
    readonly source: { readonly persistentVolumeClaimName?: string };
    readonly volumeSnapshotClassName?: string;
  };
  readonly status?: {
    readonly readyToUse?: boolean;
    readonly restoreSize?: string | number;
    readonly creationTime?: string;
    /** Last error. The CSI driver retries. */
    readonly error?: { readonly message?: string; readonly time?: string };
  };
}

export const VOLUME_SNAPSHOTS = resourceType<VolumeSnapshot>(
  `${VOLUME_SNAPSHOT_GROUP}/v1`,
  'VolumeSnapshot',
  'volumesnapshots',
);

/** Wakes the snapshots that own VolumeSnapshots. */
export const followed = watchSource(VOLUME_SNAPSHOTS, ({ metadata }) => {
  const owner = ownerOf(metadata);
  return owner === undefined ? [] : [keyIn(metadata.namespace, owner.name)];
});

const ownerOf = ({ ownerReferences }: KubeObject['metadata']) =>
  ownerReferences?.find(({ kind, controller }) => controller === true && kind === 'VMSnapshot');

/** Builds the VolumeSnapshot of a claim, which is owned by the snapshot and deleted with it. */
export function newVolumeSnapshot(
  { apiVersion, kind, metadata }: Snapshot,
  name: string,
  claim: string,
  volumeSnapshotClassName: string,
): NewObject<VolumeSnapshot> {
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
  return {
    metadata: { name, namespace: metadata.namespace, ownerReferences: [owner] },
    spec: { volumeSnapshotClassName, source: { persistentVolumeClaimName: claim } },
  };
}

/** Classifies a VolumeSnapshot: of this snapshot, left by a deleted one of the same name, or of another owner. */
export function volumeSnapshotsOf({ metadata }: VolumeSnapshot, snapshot: Snapshot): 'own' | 'left' | 'other' {
  const owner = ownerOf(metadata);
  if (owner?.uid === snapshot.metadata.uid) return 'own';
  return owner?.name === snapshot.metadata.name ? 'left' : 'other';
}

/** Deletes the VolumeSnapshots of a snapshot, and no others of the same name. */
export async function deleteVolumeSnapshots(snapshot: Snapshot, client: Client): Promise<void> {
  const { namespace } = snapshot.metadata;
  for (const { volumeSnapshot = '' } of snapshot.status?.disks ?? []) {
    const found = await ignoreNotFound(client.get(VOLUME_SNAPSHOTS, volumeSnapshot, { namespace }));
    if (found === undefined || volumeSnapshotsOf(found, snapshot) !== 'own') continue;
    const preconditions = { uid: found.metadata.uid ?? '' };
    await ignoreNotFound(client.delete(VOLUME_SNAPSHOTS, volumeSnapshot, { namespace, preconditions }));
  }
}
