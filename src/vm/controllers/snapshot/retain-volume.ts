import type { Client } from '#platform/kube/client';
import { PERSISTENT_VOLUMES } from '#platform/kube/kinds/storage';
import { ignoreNotFound } from '#platform/kube/kube-error';

/** Returns the volume of a claim if it would be deleted with the claim. */
export async function volumeToRetain(name: string | undefined, client: Client): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const found = await ignoreNotFound(client.get(PERSISTENT_VOLUMES, name));
  return found?.spec.persistentVolumeReclaimPolicy === 'Delete' ? name : undefined;
}

/** Retains the volume of a claim after its deletion, or reverts that. The volume of any other claim is unchanged. */
export async function setReclaimPolicy(
  name: string,
  claim: { readonly namespace: string; readonly name: string },
  stays: boolean,
  client: Client,
): Promise<void> {
  const { claimRef } = (await ignoreNotFound(client.get(PERSISTENT_VOLUMES, name)))?.spec ?? {};
  if (claimRef?.namespace !== claim.namespace || claimRef.name !== claim.name) return;
  const body = { spec: { persistentVolumeReclaimPolicy: stays ? 'Retain' : 'Delete' } };
  await ignoreNotFound(client.patch(PERSISTENT_VOLUMES, name, { type: 'merge', body }));
}
