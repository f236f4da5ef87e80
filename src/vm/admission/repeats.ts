/** Returns the positions of items whose key an earlier item already has. Items without a key never repeat. */
export function repeats<T>(items: readonly T[], keyOf: (item: T) => string | number | undefined): number[] {
  const seen = new Set<string | number>();
  const found: number[] = [];
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    if (key === undefined) continue;
    if (seen.has(key)) found.push(i);
    seen.add(key);
  }
  return found;
}
