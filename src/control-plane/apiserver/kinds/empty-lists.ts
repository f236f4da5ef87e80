import type { KubeObject } from '#platform/kube/kube-object';

/**
 * Lists that are written even when empty. Kubernetes stores them in protobuf, which does not distinguish an empty list
 * from none, so they are read as null although the writer of the empty list still owns it.
 */
const LISTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'clusterroles.rbac.authorization.k8s.io': [['rules']],
  'csinodes.storage.k8s.io': [['spec', 'drivers']],
  'endpointslices.discovery.k8s.io': [['endpoints'], ['ports']],
  'limitranges.': [['spec', 'limits']],
  'roles.rbac.authorization.k8s.io': [['rules']],
};

/**
 * Returns a function that replaces empty lists of a kind by null. It changes the object in place, but copies nested
 * values.
 */
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
