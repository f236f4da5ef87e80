import { SIMULATED_PROVISIONER } from '#api/disk/request';
import type { NewObject } from '#platform/kube/client';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';

const PROVISIONER_ANNOTATION = 'volume.kubernetes.io/storage-provisioner';
const BETA_PROVISIONER_ANNOTATION = 'volume.beta.kubernetes.io/storage-provisioner';
const CLASS = 'volume.beta.kubernetes.io/storage-class';
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** Annotation of volumes that names their provisioner. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** Driver names contain no slash. */
const DRIVER = 'simulated.vimana.io';

export function classNameOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[CLASS] ?? spec.storageClassName ?? '';
}

/**
 * Returns the volume to create for a claim, if it is due and of a simulated class. It is due after the binder has
 * requested it, which for a waiting class is when the scheduler has chosen a node.
 */
export function volumeFor(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
): NewObject<PersistentVolume> | undefined {
  const { metadata, spec } = claim;
  const { name, namespace, uid, resourceVersion, annotations = {} } = metadata;
  if (storageClass?.provisioner !== SIMULATED_PROVISIONER || metadata.deletionTimestamp !== undefined) return undefined;
  if ((spec.volumeName ?? '') !== '' || spec.selector !== undefined) return undefined;
  if ((annotations[PROVISIONER_ANNOTATION] ?? annotations[BETA_PROVISIONER_ANNOTATION]) !== SIMULATED_PROVISIONER)
    return undefined;
  const waits = storageClass.volumeBindingMode === 'WaitForFirstConsumer';
  if (waits && (annotations[SELECTED_NODE] ?? '') === '') return undefined;
  const { accessModes = ['ReadWriteOnce'], resources, volumeMode = 'Filesystem' } = spec;
  const volumeName = volumeNameOf(claim);
  return {
    metadata: { name: volumeName, annotations: { [PROVISIONED_BY]: SIMULATED_PROVISIONER } },
    spec: {
      accessModes,
      capacity: { storage: resources?.requests?.['storage'] ?? '1Gi' },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name ?? '',
      volumeMode,
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        ...(namespace === undefined ? {} : { namespace }),
        ...(name === undefined ? {} : { name }),
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      // The volume is a network disk that all nodes can use, several at once.
      csi: { driver: DRIVER, volumeHandle: volumeName, fsType: 'ext4' },
    },
  };
}

export function volumeNameOf({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid}`;
}

/** Reports whether a simulated volume is to be deleted. */
export function isToBeDeleted({ metadata, spec, status }: PersistentVolume): boolean {
  return (
    metadata.annotations?.[PROVISIONED_BY] === SIMULATED_PROVISIONER &&
    metadata.deletionTimestamp === undefined &&
    spec.persistentVolumeReclaimPolicy === 'Delete' &&
    status?.phase === 'Released'
  );
}
