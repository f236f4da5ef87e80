/**
 * Tracks work beside the loop, so that a shutdown can wait for it. Such work handles its own errors and never fails.
 */
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
