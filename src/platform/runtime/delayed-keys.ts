import type { Clock, Timer } from '#platform/base/clock';
import { type Entry, TimerQueue } from '#platform/base/timer-queue';

/** Keys that wait for a time. A single timer waits for the earliest one. */
export class DelayedKeys {
  readonly #clock: Clock;
  readonly #due: (key: string) => void;
  readonly #queue = new TimerQueue();
  readonly #entries = new Map<string, Entry>();
  #timer: Timer | undefined;

  constructor(clock: Clock, due: (key: string) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  /** Adds a key after a delay. Of several times for one key the earliest counts. */
  add(key: string, ms: number): void {
    const due = this.#clock.monotonic() + ms;
    const known = this.#entries.get(key);
    if (known !== undefined) {
      if (known.due <= due) return;
      this.#queue.cancel(known);
    }
    const entry = this.#queue.add(due, () => {
      this.#entries.delete(key);
      this.#due(key);
    });
    this.#entries.set(key, entry);
    if (this.#queue.peek() === entry) this.#arm(entry);
  }

  remove(key: string): void {
    const known = this.#entries.get(key);
    if (known === undefined) return;
    this.#queue.cancel(known);
    this.#entries.delete(key);
  }

  clear(): void {
    for (const entry of this.#entries.values()) this.#queue.cancel(entry);
    this.#entries.clear();
    this.#timer?.cancel();
  }

  #arm({ due }: Entry): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.timer(due - this.#clock.monotonic(), () => this.#fire());
  }

  #fire(): void {
    const now = this.#clock.monotonic();
    for (let head = this.#queue.peek(); head !== undefined; head = this.#queue.peek()) {
      if (head.due > now) return this.#arm(head);
      this.#queue.take()?.fn();
    }
  }
}
