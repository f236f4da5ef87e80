export interface GenerationalCacheOptions<V> {
  /** Number of entries that make a generation full. */
  readonly maxEntries: number;
  /** Total weight that makes a generation full, so that a few huge values do not take the memory of thousands. */
  readonly maxWeight?: number;
  /** Returns the weight of a value, such as the length of a text. Values weigh nothing by default. */
  readonly weightOf?: (value: V) => number;
  readonly onEvict?: (value: V) => void;
}

/**
 * Caches recently used values in two generations: values not used while one fills up are evicted. It holds at least the
 * last `maxEntries` values unless they are heavy, and at most twice as many. A single Map in order of use would do the
 * same, but finding its oldest entry takes ever longer the more entries were deleted before it.
 */
export class GenerationalCache<K, V> {
  readonly #options: GenerationalCacheOptions<V>;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #weight = 0;
  #generation = 1;

  constructor(options: GenerationalCacheOptions<V>) {
    this.#options = options;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Number of the current generation. An entry set in the current one need not be looked up to be counted as used. */
  get generation(): number {
    return this.#generation;
  }

  /** Returns the value of a key, which then counts as used. */
  get(key: K): V | undefined {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const value = this.#old.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  /** Returns the value of a key, and creates it if absent. */
  getOrCreate(key: K, create: () => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = create();
    this.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    const { maxEntries, maxWeight = Number.POSITIVE_INFINITY, weightOf } = this.#options;
    const weight = weightOf === undefined ? 0 : weightOf(value);
    this.#old.delete(key);
    if (this.#young.size >= maxEntries || this.#weight + weight > maxWeight) this.#startGeneration();
    this.#young.set(key, value);
    this.#weight += weight;
  }

  /** Adds to the weight of the current generation what its values refer to beside their own weight. */
  addWeight(weight: number): void {
    this.#weight += weight;
  }

  #startGeneration(): void {
    const { onEvict } = this.#options;
    if (onEvict !== undefined) for (const value of this.#old.values()) onEvict(value);
    this.#old = this.#young;
    this.#young = new Map();
    this.#weight = 0;
    this.#generation += 1;
  }
}
