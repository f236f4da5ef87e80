import type { VmDependencies } from '#vm/engine/vm-dependencies';

interface SmallDisk {
  readonly name: string;
  readonly size: string;
}

/** Returns disks that are smaller than the spec requests, so that the spec can be reduced again. */
export function smallDisksOf(claims: VmDependencies['claims'] = new Map()): { readonly smallDisks?: SmallDisk[] } {
  const smallDisks = [...claims].flatMap(([name, { size }]) => (size === undefined ? [] : [{ name, size }]));
  return smallDisks.length === 0 ? {} : { smallDisks };
}
