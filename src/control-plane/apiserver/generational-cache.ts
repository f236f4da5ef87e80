/** In characters of the texts that things were made of, or are. */
const HEAVIEST = 16 * 1024 * 1024;

/**
 * What was used lately, in two generations: what is not asked for while one of them fills up is forgotten. One is full
 * by number or by weight, so that a few huge things do not hold the memory of thousands.
 */
export class GenerationalCache<K, V> {
  readonly #most: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #weight = 0;

  /** `most` is how many make a generation full. */
  constructor(most: number) {
    this.#most = most;
  }

  /** What is of the younger generation. */
  young(key: K): V | undefined {
    return this.#young.get(key);
  }

  /** What is of the older one, and forgotten soon unless it is kept again. */
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
