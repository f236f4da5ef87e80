import type { Client } from '../../kube/client.ts';
import { PERSISTENT_VOLUMES } from '../../kube/kinds/storage.ts';
import { ifFound } from '../../kube/kube-error.ts';

/** The volume of a claim, where it would go with the claim. */
export async function perishable(name: string | undefined, client: Client): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const found = await ifFound(client.get(PERSISTENT_VOLUMES, name));
  return found?.spec.persistentVolumeReclaimPolicy === 'Delete' ? name : undefined;
}

/** Lets a volume outlive its claim, or lets it go again. */
export async function letStay(name: string, stays: boolean, client: Client): Promise<void> {
  const body = { spec: { persistentVolumeReclaimPolicy: stays ? 'Retain' : 'Delete' } };
  await ifFound(client.patch(PERSISTENT_VOLUMES, name, { type: 'merge', body }));
}
