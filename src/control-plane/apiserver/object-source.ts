import type { KubeObject } from '#platform/kube/kube-object';
import type { ParsedObjects } from './parsed-objects.ts';
import type { Registry } from './registry.ts';
import { keyOf } from './resource.ts';
import type { Store } from './store/store.ts';

/** Source of stored objects for plugins. */
export interface ObjectSource {
  readonly store: Store;
  readonly registry: Registry;
  readonly parsed: ParsedObjects;
}

/** Returns a stored object by name, undefined if there is none. Callers must not change it. */
export function readObject(
  { store, registry, parsed }: ObjectSource,
  group: string,
  version: string,
  plural: string,
  namespace: string,
  name: string,
): KubeObject | undefined {
  const resource = registry.find(group, version, plural);
  const entry = resource === undefined ? undefined : store.get(keyOf(resource, namespace, name));
  return entry === undefined ? undefined : parsed.get(entry);
}
