/** One scheduled call. */
export interface Entry {
  readonly due: number;
  readonly order: number;
  readonly fn: () => void;
  cancelled: boolean;
}

/** Binary heap of scheduled calls, ordered by due time and then by insertion. */
export class TimerQueue {
  #heap: Entry[] = [];
  #next = 0;
  #live = 0;

  /** Number of scheduled calls. */
  get size(): number {
    return this.#live;
  }

  add(due: number, fn: () => void): Entry {
    const entry = { due, order: this.#next++, fn, cancelled: false };
    this.#live++;
    this.#heap.push(entry);
    this.#rise(this.#heap.length - 1);
    return entry;
  }

  /**
   * Cancels an entry. Cancelled entries stay in the heap until they surface, or until they are the larger half of it.
   */
  cancel(entry: Entry): void {
    if (entry.cancelled) return;
    entry.cancelled = true;
    this.#live--;
    if (this.#heap.length > 64 && this.#live * 2 < this.#heap.length) this.#compact();
  }

  /** Returns the call that is due first. */
  peek(): Entry | undefined {
    while (this.#heap[0]?.cancelled) this.#removeTop();
    return this.#heap[0];
  }

  /** Removes and returns the call that is due first. Cancelling it afterwards does nothing. */
  take(): Entry | undefined {
    const entry = this.peek();
    if (entry === undefined) return undefined;
    this.#removeTop();
    entry.cancelled = true;
    this.#live--;
    return entry;
  }

  #compact(): void {
    // A sorted array is a heap.
    this.#heap = this.#heap.filter((entry) => !entry.cancelled).sort((a, b) => (before(a, b) ? -1 : 1));
  }

  #removeTop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const [l, r] = [this.#heap[left], this.#heap[right]];
      const child = l !== undefined && r !== undefined && before(r, l) ? right : left;
      if (!this.#swapIfBefore(child, at)) return;
      at = child;
    }
  }

  #swapIfBefore(lower: number, upper: number): boolean {
    const [a, b] = [this.#heap[lower], this.#heap[upper]];
    if (a === undefined || b === undefined || !before(a, b)) return false;
    this.#heap[lower] = b;
    this.#heap[upper] = a;
    return true;
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
