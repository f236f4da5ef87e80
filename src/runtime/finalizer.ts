import type { Client, ResourceType } from '../kube/client.ts';
import { ifFound } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/kube-object.ts';

/** Puts a finalizer on an object, unless it has changed since it was read; undefined where it is gone. */
export function withFinalizer<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  object: T,
  finalizer: string,
): Promise<T | undefined> {
  return rewrite(client, type, object, [...(object.metadata.finalizers ?? []), finalizer]);
}

/** Takes a finalizer off an object, unless it has changed since it was read; undefined where it is gone. */
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
  return await ifFound(client.update(type, { ...object, metadata: { ...object.metadata, finalizers } }));
}
