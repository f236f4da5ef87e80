import type { Client } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import { TRACKING } from './job-pod.ts';

/** Removes the tracking finalizer of a pod. Returns undefined if the pod is gone. */
export async function releasePod(client: Client, { metadata }: Pod): Promise<Pod | undefined> {
  const { name = '', namespace = '', uid, resourceVersion, finalizers = [] } = metadata;
  const left = finalizers.filter((each) => each !== TRACKING);
  const body = { metadata: { uid, resourceVersion, finalizers: left.length === 0 ? null : left } };
  try {
    return await client.patch(PODS, name, { type: 'merge', body }, { namespace });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
