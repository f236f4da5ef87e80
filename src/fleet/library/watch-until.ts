import type { Client, ResourceType } from '#platform/kube/client';
import { isGone } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';

export interface WatchUntilOptions {
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Watches objects and calls `look` with all of them after every change, until it returns anything but undefined. */
export async function watchUntil<T extends KubeObject, R>(
  client: Client,
  type: ResourceType<T>,
  { signal, ...where }: WatchUntilOptions,
  look: (objects: ReadonlyMap<string, T>) => R | undefined,
): Promise<R> {
  const given = signal === undefined ? where : { ...where, signal };
  for (;;) {
    const { items, metadata } = await client.list(type, given);
    const present = new Map(items.map((item) => [item.metadata.name ?? '', item]));
    const at = look(present);
    if (at !== undefined) return at;
    try {
      for await (const { type: change, object } of client.watch(type, {
        ...given,
        resourceVersion: metadata.resourceVersion,
      })) {
        if (change === 'BOOKMARK') continue;
        const name = object.metadata.name ?? '';
        if (change === 'DELETED') present.delete(name);
        else present.set(name, object);
        const found = look(present);
        if (found !== undefined) return found;
      }
    } catch (error) {
      // The resource version has expired, so that the objects are listed again.
      if (!isGone(error)) throw error;
    }
    signal?.throwIfAborted();
  }
}
