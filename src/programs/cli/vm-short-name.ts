import { type DialectName, GROUPS } from '#api/groups';
import type { CustomResourceDefinition } from '#platform/kube/kinds/custom-resource-definition';
import type { Kind } from '#platform/schema/kind';

/** Short name that the VirtualMachines of every group would have. Only those of one group have it at a time. */
const VM_SHORT_NAME = 'vm';

/**
 * Returns the group that the short name `vm` means: the requested one, or kubevirt.io if it is among several groups, or
 * else the first.
 */
export function vmShortNameGroup(dialects: readonly DialectName[], requested?: string): string {
  const [first = 'kubevirt'] = dialects.includes('kubevirt') ? ['kubevirt' as const] : dialects;
  return requested ?? GROUPS[first];
}

/** Returns the kinds with the short names of VirtualMachines only in one group. */
export function withVmShortName(kinds: readonly Kind[], group: string): Kind[] {
  return kinds.map((kind) =>
    kind.kind === 'VirtualMachine' && kind.group !== group ? { ...kind, shortNames: [] } : kind,
  );
}

/** Returns an unselected kind without the short names and categories of the chosen ones, which they alone then mean. */
export function withoutNamesOf(chosen: readonly Kind[], kind: Kind): Kind {
  const shortNames = new Set(chosen.flatMap((each) => each.shortNames));
  const categories = new Set(chosen.flatMap((each) => each.categories));
  return {
    ...kind,
    shortNames: kind.shortNames.filter((name) => !shortNames.has(name)),
    categories: kind.categories.filter((name) => !categories.has(name)),
  };
}

/** Returns the groups that have the short name `vm`, in the order in which kubectl considers them. */
export function groupsNamedVm(definitions: readonly CustomResourceDefinition[]): string[] {
  return definitions
    .filter(({ spec }) => spec.names.shortNames?.includes(VM_SHORT_NAME) === true)
    .map(({ spec }) => spec.group)
    .sort();
}
