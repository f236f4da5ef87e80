import type { VmDependencies } from '#vm/engine/vm-dependencies';

interface SmallDisk {
  readonly name: string;
  readonly size: string;
}

/** Disks that have less than spec asks for, which must be able to ask for less again. */
export function smallDisksOf(claims: VmDependencies['claims'] = new Map()): { readonly smallDisks?: SmallDisk[] } {
  const smallDisks = [...claims].flatMap(([name, { size }]) => (size === undefined ? [] : [{ name, size }]));
  return smallDisks.length === 0 ? {} : { smallDisks };
}
