import type { Client, ResourceType } from '#platform/kube/client';
import { isGone } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';

/** Watches until none of the selected objects exists. */
export async function waitForDeletion(
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
