import type { Client, ResourceType } from '#platform/kube/client';
import { ignoreNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';

/** Adds a finalizer to an object, unless it has changed since it was read. Returns undefined if it is gone. */
export function withFinalizer<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  object: T,
  finalizer: string,
): Promise<T | undefined> {
  return rewrite(client, type, object, [...(object.metadata.finalizers ?? []), finalizer]);
}

/** Removes a finalizer from an object, unless it has changed since it was read. Returns undefined if it is gone. */
export function withoutFinalizer<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  object: T,
  finalizer: string,
): Promise<T | undefined> {
  return rewrite(
    client,
    type,
    object,
    (object.metadata.finalizers ?? []).filter((name) => name !== finalizer),
  );
}

async function rewrite<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  object: T,
  finalizers: string[],
): Promise<T | undefined> {
  return await ignoreNotFound(client.update(type, { ...object, metadata: { ...object.metadata, finalizers } }));
}
