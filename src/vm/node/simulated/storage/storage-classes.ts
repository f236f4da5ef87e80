import { SIMULATED_PROVISIONER } from '#api/disk/request';
import type { Client, NewObject } from '#platform/kube/client';
import { STORAGE_CLASSES, type StorageClass } from '#platform/kube/kinds/storage';
import { isAlreadyExists } from '#platform/kube/kube-error';

/** Storage classes of a cluster of simulated nodes: a default, and one that waits for the scheduler's choice. */
export const SIMULATED_CLASSES: readonly NewObject<StorageClass>[] = [
  {
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: SIMULATED_PROVISIONER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    allowVolumeExpansion: true,
  },
  {
    metadata: { name: 'fast-ssd' },
    provisioner: SIMULATED_PROVISIONER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  },
];

/** Creates missing classes. User changes are retained, but classes from before expansion was supported now allow it. */
export async function ensureStorageClasses(client: Client): Promise<void> {
  for (const storageClass of SIMULATED_CLASSES) {
    try {
      await client.create(STORAGE_CLASSES, storageClass);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { name = '' } = storageClass.metadata;
      const { provisioner, allowVolumeExpansion } = await client.get(STORAGE_CLASSES, name);
      if (provisioner !== SIMULATED_PROVISIONER || allowVolumeExpansion !== undefined) continue;
      await client.patch(STORAGE_CLASSES, name, { type: 'merge', body: { allowVolumeExpansion: true } });
    }
  }
}
