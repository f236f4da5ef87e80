import { schemaNameOf } from '../builtin-schema/kinds.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

export const OBJECT_META = `${META}ObjectMeta`;
export const LIST_META = `${META}ListMeta`;
export const DELETE_OPTIONS = `${META}DeleteOptions`;
export const PATCH = `${META}Patch`;
export const STATUS = `${META}Status`;
export const WATCH_EVENT = `${META}WatchEvent`;

/** Returns the component name of a kind: io.k8s.api.core.v1.Pod, io.hypersdk.v1alpha1.VirtualMachine. */
export function componentName(group: string, version: string, kind: string): string {
  const builtIn = schemaNameOf(group === '' ? version : `${group}/${version}`, kind);
  // A custom kind may have the name of one that belongs to every group, such as Status.
  if (builtIn !== undefined && (group === '' || !builtIn.startsWith(META))) return builtIn;
  return `${group.split('.').toReversed().join('.')}.${version}.${kind}`;
}
