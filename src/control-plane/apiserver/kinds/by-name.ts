interface Named {
  readonly name?: string;
}

const known = new WeakMap<object, { readonly length: number; readonly items: ReadonlyMap<string, Named> }>();

/**
 * The first item of each name of a list. Made once for a list, since each of many containers may look for each of many
 * volumes.
 */
export function byName<T extends Named>(list: readonly T[]): ReadonlyMap<string, T> {
  let index = known.get(list);
  if (index?.length !== list.length) {
    const items = new Map<string, Named>();
    for (const item of list) if (!items.has(item.name ?? '')) items.set(item.name ?? '', item);
    index = { length: list.length, items };
    known.set(list, index);
  }
  return index.items as ReadonlyMap<string, T>;
}

/** Whether each item of a list stood in it before. */
export function repeats(list: readonly string[]): boolean[] {
  const seen = new Set<string>();
  return list.map((item) => seen.size === seen.add(item).size);
}
