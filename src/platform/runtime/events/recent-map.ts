/**
 * Map that drops entries that were not used recently. It has two generations, because finding the oldest entry of a
 * single Map takes ever longer the more entries were deleted before it.
 */
export class RecentMap<V> {
  readonly #max: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** Creates a map that retains at least the last `most` entries, and at most twice as many. */
  constructor(most: number) {
    this.#max = most;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Returns the value of a key, and creates it if absent. The entry counts as used. */
  use(key: string, make: () => V): V {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const value = this.#old.get(key) ?? make();
    if (this.#young.size >= this.#max) {
      this.#old = this.#young;
      this.#young = new Map();
    } else this.#old.delete(key);
    this.#young.set(key, value);
    return value;
  }
}
