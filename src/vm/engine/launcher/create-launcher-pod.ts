import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { DOMAIN_LABEL } from '#api/launcher';
import { TemporaryError } from '#platform/base/errors';
import type { Client, NewObject } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { ignoreNotFound, isAlreadyExists } from '#platform/kube/kube-error';
import { launcherName } from './launcher-pod.ts';

const ATTEMPTS = 5;

/**
 * Creates the launcher pod for the run or migration with this UID, or returns the existing one. Skips names that
 * unrelated pods have taken.
 */
export async function createLauncherPod(client: Client, vmi: Vmi, uid: string, pod: NewObject<Pod>): Promise<Pod> {
  const { namespace, uid: instance } = vmi.metadata;
  for (let attempt = 0; ; attempt++) {
    const name = launcherName(vmi, uid, attempt);
    try {
      return await client.create(PODS, { ...pod, metadata: { ...pod.metadata, name } });
    } catch (error) {
      if (!isAlreadyExists(error) || attempt === ATTEMPTS) throw error;
    }
    const found = await ignoreNotFound(client.get(PODS, name, { namespace }));
    if (found?.metadata.ownerReferences?.some((owner) => owner.uid === instance) === true) return found;
  }
}

/**
 * Creates the launcher pod of a run under a fixed name, or adopts the pod that already exists for its VM. A fixed name
 * is used once, so there is never a second pod.
 */
export async function adoptLauncherPod(client: Client, vmi: Vmi, pod: NewObject<Pod>, name: string): Promise<Pod> {
  const { namespace, uid: instance } = vmi.metadata;
  const { labels, annotations, ownerReferences } = pod.metadata;
  const found = await ignoreNotFound(client.get(PODS, name, { namespace }));
  if (found === undefined) return await client.create(PODS, { ...pod, metadata: { ...pod.metadata, name } });
  const { uid, resourceVersion, deletionTimestamp } = found.metadata;
  const owner = found.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.uid === instance) return found;
  if (deletionTimestamp !== undefined)
    throw new TemporaryError(`pod ${name} is terminating`, { retryAfterMs: TERMINATING_RETRY_MS });
  const stands = found.metadata.labels?.[DOMAIN_LABEL] === labels?.[DOMAIN_LABEL];
  // The pod is unrelated or belongs to another run, so this run gets its own.
  if (!stands || owner?.kind === VMIS.kind) return await createLauncherPod(client, vmi, instance, pod);
  const body = {
    metadata: { uid, resourceVersion, labels, ownerReferences, annotations: missingAnnotations(annotations, found) },
  };
  return await client.patch(PODS, name, { type: 'merge', body }, { namespace });
}

const TERMINATING_RETRY_MS = 1000;

/** Returns the annotations that a pod lacks. Existing ones may have been changed on purpose. */
function missingAnnotations(
  annotations: Pod['metadata']['annotations'] = {},
  { metadata }: Pod,
): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => metadata.annotations?.[name] === undefined));
}
