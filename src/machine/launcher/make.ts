import type { Client, NewObject } from '../../kube/client.ts';
import type { Vmi } from '../../kube/kinds/machines.ts';
import { PODS, type Pod } from '../../kube/kinds/pod.ts';
import { isAlreadyExists, isNotFound } from '../../kube/kube-error.ts';
import { launcherName } from './pod.ts';

const ATTEMPTS = 5;

/**
 * Makes the launcher pod of a run, or of a move, of this uid; or finds the one that was made before. A name that a
 * stranger has is passed over.
 */
export async function makeLauncher(client: Client, vmi: Vmi, uid: string, pod: NewObject<Pod>): Promise<Pod> {
  const { namespace, uid: instance } = vmi.metadata;
  for (let attempt = 0; ; attempt++) {
    const name = launcherName(vmi, uid, attempt);
    try {
      return await client.create(PODS, { ...pod, metadata: { ...pod.metadata, name } });
    } catch (error) {
      if (!isAlreadyExists(error) || attempt === ATTEMPTS) throw error;
    }
    const found = await client.get(PODS, name, { namespace }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (found?.metadata.ownerReferences?.some((owner) => owner.uid === instance) === true) return found;
  }
}
