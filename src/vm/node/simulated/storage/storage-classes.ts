import { SIMULATED_PROVISIONER } from '#api/disk/request';
import type { Client, NewObject } from '#platform/kube/client';
import { STORAGE_CLASSES, type StorageClass } from '#platform/kube/kinds/storage';
import { isAlreadyExists } from '#platform/kube/kube-error';

/** The classes that a cluster of simulated nodes has: one for everything, and one that waits for the scheduler's choice. */
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

/** Makes the classes that are not there; what a user changed stays, and what was made before volumes could grow lets them. */
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
