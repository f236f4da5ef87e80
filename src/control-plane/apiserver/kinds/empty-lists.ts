import type { KubeObject } from '#platform/kube/kube-object';

/**
 * Lists that may be empty and are written even then: stored by Kubernetes in protobuf, which does not tell an empty list
 * from none, they come back as null. Whoever wrote the empty list owns it nevertheless.
 */
const LISTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'clusterroles.rbac.authorization.k8s.io': [['rules']],
  'csinodes.storage.k8s.io': [['spec', 'drivers']],
  'endpointslices.discovery.k8s.io': [['endpoints'], ['ports']],
  'limitranges.': [['spec', 'limits']],
  'roles.rbac.authorization.k8s.io': [['rules']],
};

/** Puts null for empty lists into an object of a kind that has such, in place but for what lies deeper. */
export function nullEmptyLists(name: string): ((object: KubeObject) => void) | undefined {
  const paths = LISTS[name];
  if (paths === undefined) return undefined;
  return (object) => {
    for (const path of paths) nullIn(object, path);
  };
}

function nullIn(object: Record<string, unknown>, [key = '', ...rest]: readonly string[]): void {
  const value = object[key];
  if (Array.isArray(value)) {
    if (rest.length === 0 && value.length === 0) object[key] = null;
  } else if (rest.length > 0 && typeof value === 'object' && value !== null) {
    const copy = { ...value };
    nullIn(copy, rest);
    object[key] = copy;
  }
}
