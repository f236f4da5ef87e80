import type { ResourceType } from '../client.ts';
import type { KubeObject } from '../kube-object.ts';

/** Names a built-in resource of the type T. */
export function resourceType<T extends KubeObject = KubeObject>(
  apiVersion: string,
  kind: string,
  plural: string,
  scope: 'Namespaced' | 'Cluster' = 'Namespaced',
): ResourceType<T> {
  const slash = apiVersion.indexOf('/');
  return {
    group: apiVersion.slice(0, Math.max(slash, 0)),
    version: apiVersion.slice(slash + 1),
    kind,
    plural,
    namespaced: scope === 'Namespaced',
  };
}

export function apiVersionOf({ group, version }: Pick<ResourceType, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}
