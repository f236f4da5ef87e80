import type { Client, ResourceType } from '../kube/client.ts';
import { isGone } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/kube-object.ts';

/** Waits by a watch until none of the objects that are meant is there. */
export async function untilGone(
  client: Client,
  type: ResourceType,
  isMeant: (object: KubeObject) => boolean,
  signal: AbortSignal,
) {
  for (;;) {
    signal.throwIfAborted();
    const { items, metadata } = await client.list(type, { signal });
    const left = new Set(items.filter(isMeant).map(({ metadata: { uid } }) => uid));
    if (left.size === 0) return;
    try {
      for await (const { type: change, object } of client.watch(type, {
        resourceVersion: metadata.resourceVersion,
        signal,
      })) {
        if (change === 'DELETED' && left.delete(object.metadata.uid) && left.size === 0) return;
      }
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}
