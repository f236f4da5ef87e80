import type { NewObject, ResourceType } from '#platform/kube/client';
import { NAMESPACES, type Namespace } from '#platform/kube/kinds/core';
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Controller, watchSource } from '#platform/runtime/controller';
import { keyIn } from '#platform/runtime/key';

/** An object that every namespace has. */
export interface NamespacedObject<T extends KubeObject> {
  readonly controller: string;
  readonly type: ResourceType<T>;
  readonly name: string;
  /** Object to create, without metadata.namespace. */
  readonly object: NewObject<T>;
  /** Returns the corrected object, undefined if the present one needs no change. */
  readonly corrected?: (present: T) => T | undefined;
}

/** Creates an object in every active namespace, and restores it when it is deleted or changed. */
export function inEveryNamespace<T extends KubeObject>(kept: NamespacedObject<T>): Controller<Namespace> {
  const { type, name, object } = kept;
  const selection = { fieldSelector: `metadata.name=${name}` };
  return {
    name: kept.controller,
    for: NAMESPACES,
    watches: [watchSource(type, ({ metadata }) => [metadata.namespace ?? ''], selection)],
    async reconcile({ metadata }, { client, cache }) {
      if (metadata.deletionTimestamp !== undefined) return;
      const namespace = metadata.name ?? '';
      const present = cache(type, selection).get(keyIn(namespace, name));
      const better = present === undefined ? undefined : kept.corrected?.(present);
      try {
        if (present === undefined) {
          await client.create(type, { ...object, metadata: { ...object.metadata, name, namespace } });
        } else if (better !== undefined) await client.update(type, better);
      } catch (error) {
        if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error;
      }
    },
  };
}
