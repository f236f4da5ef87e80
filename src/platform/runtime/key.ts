import type { KubeMeta } from '#platform/kube/kube-object';

/** Returns the key of an object within its resource: `namespace/name`, or the name alone for cluster-scoped ones. */
export function keyOf({ metadata }: { readonly metadata: KubeMeta }): string {
  return keyIn(metadata.namespace, metadata.name);
}

export function keyIn(namespace: string | undefined, name = ''): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

export function splitKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
}
