interface Waiting {
  readonly uid: string;
  readonly due: number;
}

/**
 * Queue of items in the order of their expiry. All have the same lifetime after their last write, so a written item
 * goes to the end and the head is due first.
 */
export class ExpiryLine {
  readonly #line = new Map<string, Waiting>();

  get size(): number {
    return this.#line.size;
  }

  put(key: string, uid: string, due: number): void {
    this.#line.delete(key);
    this.#line.set(key, { uid, due });
  }

  remove(key: string): void {
    this.#line.delete(key);
  }

  /** Returns the item that is due first, undefined if the queue is empty. */
  head(): { readonly key: string; readonly uid: string; readonly due: number } | undefined {
    for (const [key, waiting] of this.#line) return { key, ...waiting };
    return undefined;
  }

  /** Replaces all items, given in any order. */
  replace(all: readonly { readonly key: string; readonly uid: string; readonly due: number }[]): void {
    this.#line.clear();
    for (const { key, uid, due } of all.toSorted((a, b) => a.due - b.due)) this.#line.set(key, { uid, due });
  }
}
