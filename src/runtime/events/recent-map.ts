/** A map that keeps only so many entries: those that were used last. */
export class RecentMap<V> {
  readonly #most: number;
  readonly #entries = new Map<string, V>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, made where there is none; it counts as used. */
  use(key: string, make: () => V): V {
    const known = this.#entries.get(key);
    const value = known ?? make();
    // A Map remembers the order of insertion: the first entry is the one that was used longest ago.
    if (known !== undefined) this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#most) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    return value;
  }
}
