/** Maximum weight of a generation, in characters of the texts that the values represent. */
const HEAVIEST = 16 * 1024 * 1024;

/**
 * Caches recently used values in two generations: values not requested while one fills up are evicted. A generation is
 * full by count or by weight, so that a few huge values do not take the memory of thousands.
 */
export class GenerationalCache<K, V> {
  readonly #most: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #weight = 0;

  /** `most` is the number of entries that make a generation full. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns a value of the younger generation. */
  young(key: K): V | undefined {
    return this.#young.get(key);
  }

  /** Returns a value of the older generation, which is evicted soon unless it is stored again. */
  old(key: K): V | undefined {
    return this.#old.get(key);
  }

  keep(key: K, value: V, weight: number): void {
    if (this.#young.size >= this.#most || this.#weight + weight > HEAVIEST) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
    this.#young.set(key, value);
    this.#weight += weight;
  }
}
