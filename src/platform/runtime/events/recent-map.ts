/**
 * A map that forgets what was not used lately. In two generations: looking for the oldest entry of one Map takes ever
 * longer the more entries have gone before it.
 */
export class RecentMap<V> {
  readonly #max: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** At least the last `most` are kept, and at most twice as many. */
  constructor(most: number) {
    this.#max = most;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** The value of a key, made where there is none; it counts as used. */
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
