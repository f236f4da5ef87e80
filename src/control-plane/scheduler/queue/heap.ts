/** An item that can be in a heap. It stores its index, so that it can be removed from anywhere. */
export interface Heaped {
  /** Index in the heap, -1 if it is in none. */
  place: number;
}

/** Binary heap with fast access to the first item. */
export class Heap<T extends Heaped> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    item.place = this.#items.length;
    this.#items.push(item);
    this.#rise(item.place);
  }

  pop(): T | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Removes an item. Does nothing if the item is not in this heap. */
  remove(item: T): void {
    const { place } = item;
    if (this.#items[place] !== item) return;
    const last = this.#items.pop() as T;
    item.place = -1;
    if (last === item) return;
    this.#items[place] = last;
    last.place = place;
    this.#rise(place);
    this.#sink(last.place);
  }

  *[Symbol.iterator](): Iterator<T> {
    yield* this.#items;
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const left = 2 * at + 1;
      const [l, r] = [this.#items[left], this.#items[left + 1]];
      const child = l !== undefined && r !== undefined && this.#before(r, l) ? left + 1 : left;
      if (!this.#swapIfBefore(child, at)) return;
      at = child;
    }
  }

  #swapIfBefore(lower: number, upper: number): boolean {
    const [a, b] = [this.#items[lower], this.#items[upper]];
    if (a === undefined || b === undefined || !this.#before(a, b)) return false;
    this.#items[lower] = b;
    this.#items[upper] = a;
    b.place = lower;
    a.place = upper;
    return true;
  }
}
