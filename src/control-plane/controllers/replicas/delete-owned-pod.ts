import type { Client } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import type { Expectations } from '#platform/runtime/expectations';

/** Deletes a pod of an owner, whose next plan then waits until the cache shows it. Returns false if it was gone. */
export async function deleteOwnedPod(
  client: Client,
  pod: Pod,
  owner: string,
  expectations: Expectations,
): Promise<boolean> {
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  try {
    const left = await client.delete(PODS, name, { namespace, preconditions: { uid } });
    if (left === undefined) expectations.removed(owner, pod);
    else expectations.wrote(owner, left);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
