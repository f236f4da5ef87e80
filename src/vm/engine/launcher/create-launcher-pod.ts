import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { DOMAIN_LABEL } from '#api/launcher';
import { TemporaryError } from '#platform/base/errors';
import type { Client, NewObject } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { ignoreNotFound, isAlreadyExists } from '#platform/kube/kube-error';
import { launcherName } from './launcher-pod.ts';

const ATTEMPTS = 5;

/**
 * Makes the launcher pod of a run, or of a move, of this uid; or finds the one that was made before. A name that a
 * stranger has is passed over.
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
 * Makes the launcher pod of a run under a name that is settled, or takes over the one that somebody made for its machine.
 * Names are given out once: there is never a second pod.
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
    throw new TemporaryError(`pod ${name} is about to go`, { retryAfterMs: TERMINATING_RETRY_MS });
  const stands = found.metadata.labels?.[DOMAIN_LABEL] === labels?.[DOMAIN_LABEL];
  // A stranger, or the pod of another run: this run has one of its own.
  if (!stands || owner?.kind === VMIS.kind) return await createLauncherPod(client, vmi, instance, pod);
  const body = {
    metadata: { uid, resourceVersion, labels, ownerReferences, annotations: missingAnnotations(annotations, found) },
  };
  return await client.patch(PODS, name, { type: 'merge', body }, { namespace });
}

const TERMINATING_RETRY_MS = 1000;

/** Annotations that a pod has not; what it has may have been changed since by somebody who meant it. */
function missingAnnotations(
  annotations: Pod['metadata']['annotations'] = {},
  { metadata }: Pod,
): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => metadata.annotations?.[name] === undefined));
}
