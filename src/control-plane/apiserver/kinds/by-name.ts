interface Named {
  readonly name?: string;
}

const known = new WeakMap<object, { readonly length: number; readonly items: ReadonlyMap<string, Named> }>();

/**
 * Indexes a list by the first item of each name. The index is cached for each list, since each of many containers may
 * look up each of many volumes.
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

/** Reports for each item of a list whether it is a repetition. */
export function repeats(list: readonly string[]): boolean[] {
  const seen = new Set<string>();
  return list.map((item) => seen.size === seen.add(item).size);
}
