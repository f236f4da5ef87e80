interface Waiting {
  readonly uid: string;
  readonly due: number;
}

/**
 * Things in the order in which they end. Since all live equally long after they were last written, what is written goes to
 * the end of the line, and the head of the line is due first.
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

  /** Whoever is due first; undefined where nobody is in line. */
  head(): { readonly key: string; readonly uid: string; readonly due: number } | undefined {
    for (const [key, waiting] of this.#line) return { key, ...waiting };
    return undefined;
  }

  /** All at once, in any order. */
  replace(all: readonly { readonly key: string; readonly uid: string; readonly due: number }[]): void {
    this.#line.clear();
    for (const { key, uid, due } of all.toSorted((a, b) => a.due - b.due)) this.#line.set(key, { uid, due });
  }
}
