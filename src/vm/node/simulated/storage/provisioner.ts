import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  STORAGE_CLASSES,
} from '#platform/kube/kinds/storage';
import { isAlreadyExists } from '#platform/kube/kube-error';
import type { Index } from '#platform/runtime/cache';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';
import { classNameOf, isToBeDeleted, volumeFor, volumeNameOf } from './plan.ts';
import { requestedVolumeSize } from './resize.ts';

const byClass: Index<PersistentVolumeClaim> = { values: (claim) => [classNameOf(claim)] };

/** Creates volumes for claims of the simulated classes, and expands them on request. */
export const simulatedProvisioner: Controller<PersistentVolumeClaim> = {
  name: 'simulated provisioner',
  for: PERSISTENT_VOLUME_CLAIMS,
  concurrency: 64,
  reads: [PERSISTENT_VOLUMES],
  watches: [
    watchSource(STORAGE_CLASSES, ({ metadata }, { cache }) =>
      [...cache(PERSISTENT_VOLUME_CLAIMS).by(byClass, metadata.name ?? '')].map(keyOf),
    ),
  ],
  async reconcile(claim, context) {
    const { cache, client, events } = context;
    await grow(claim, context);
    const volume = volumeFor(claim, cache(STORAGE_CLASSES).get(classNameOf(claim)));
    if (volume === undefined || cache(PERSISTENT_VOLUMES).get(volumeNameOf(claim)) !== undefined) return;
    try {
      await client.create(PERSISTENT_VOLUMES, volume);
    } catch (error) {
      if (isAlreadyExists(error)) return;
      const message = `failed to provision volume with StorageClass "${classNameOf(claim)}": ${(error as Error).message}`;
      events.event(claim, 'Warning', 'ProvisioningFailed', message);
      throw error;
    }
    events.event(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${volume.metadata.name}`);
  },
};

/** Expands the volume before the claim reports it. Admission has checked that the class allows expansion. */
async function grow(claim: PersistentVolumeClaim, { cache, client, events }: Context): Promise<void> {
  const volume = cache(PERSISTENT_VOLUMES).get(claim.spec.volumeName ?? '');
  const desired = requestedVolumeSize(claim, volume);
  if (volume === undefined || desired === undefined) return;
  const storage = desired.size;
  if (desired.ofVolume) {
    const spec = { ...volume.spec, capacity: { ...volume.spec.capacity, storage } };
    await client.update(PERSISTENT_VOLUMES, { ...volume, spec });
  }
  if (!desired.ofClaim) return;
  const status = { ...claim.status, capacity: { ...claim.status?.capacity, storage } };
  await writeStatus(client, PERSISTENT_VOLUME_CLAIMS, claim, status);
  events.event(claim, 'Normal', 'FileSystemResizeSuccessful', `Successfully expanded volume to ${storage}`);
}

/**
 * Deletes volumes of the simulated classes whose claims are gone, and reports the claims. What a claim has stored outside
 * of the API server is deleted before, so that nothing is left behind if the process ends in between.
 */
export function simulatedReclaimer(
  onReclaimed: (namespace: string, claim: string) => void = () => {},
  deleteContents: (claimUid: string) => Promise<void> = async () => {},
): Controller<PersistentVolume> {
  return {
    name: 'simulated reclaimer',
    for: PERSISTENT_VOLUMES,
    async reconcile(volume, { client }) {
      if (!isToBeDeleted(volume)) return;
      const { name = '', uid = '' } = volume.metadata;
      const { claimRef } = volume.spec;
      if (claimRef?.uid !== undefined) await deleteContents(claimRef.uid);
      await client.delete(PERSISTENT_VOLUMES, name, { preconditions: { uid } });
      onReclaimed(claimRef?.namespace ?? '', claimRef?.name ?? '');
    },
  };
}
