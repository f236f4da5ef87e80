/** Work that goes on beside the loop, so that an end can wait for it. None of it may fail: it handles its own errors. */
export class Pending {
  readonly #work = new Set<Promise<void>>();

  get size(): number {
    return this.#work.size;
  }

  add(work: () => Promise<void>): void {
    const running = work();
    this.#work.add(running);
    void running.finally(() => this.#work.delete(running));
  }

  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }
}
