import type { ProgressNotify, StoreEvent, Watch } from './store.ts';
import type { Timeline } from './timeline.ts';
import type { Subscriber, WatchHub } from './watch-hub.ts';

type Batch = readonly (StoreEvent | ProgressNotify)[];

/**
 * Maximum number of events a watch may buffer before it goes back to reading history, and of events it delivers at
 * once.
 */
export const WATCH_BUFFER = 1024;

/**
 * Implements one watch: either live, holding the few events not read yet, or behind, holding only the revision it has
 * reached and reading from history on demand. It starts behind, and falls behind again when its buffer is full.
 */
export class StoreWatch implements Watch, Subscriber {
  readonly prefix: string;
  readonly #timeline: Timeline;
  readonly #hub: WatchHub;
  readonly #signal: AbortSignal | undefined;
  readonly #accepts: (key: string) => boolean;
  readonly #abort = (): void => this.close();
  #reached: number;
  #behind: boolean;
  #buffer: StoreEvent[] = [];
  #progressWanted = false;
  #wake: (() => void) | undefined;
  #ended = false;
  #reason: Error | undefined;

  constructor(timeline: Timeline, hub: WatchHub, prefix: string, after: number, signal?: AbortSignal) {
    this.prefix = prefix;
    this.#timeline = timeline;
    this.#hub = hub;
    this.#signal = signal;
    this.#accepts = prefix === '' || prefix.endsWith('/') ? (key) => key.startsWith(prefix) : (key) => key === prefix;
    this.#reached = after;
    this.#behind = after < timeline.revision;
    hub.add(this);
    if (signal?.aborted) this.close();
    else signal?.addEventListener('abort', this.#abort, { once: true });
  }

  push(event: StoreEvent): void {
    if (!this.#behind) {
      if (this.#buffer.length < WATCH_BUFFER) {
        this.#buffer.push(event);
      } else {
        this.#behind = true;
        this.#buffer = [];
      }
    }
    this.#notify();
  }

  requestProgress(): void {
    this.#progressWanted = true;
    this.#notify();
  }

  close(): void {
    this.end();
  }

  end(reason?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#reason = reason;
    this.#buffer = [];
    this.#hub.remove(this);
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#notify();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Batch, void, void> {
    try {
      for (;;) {
        const batch = this.#take();
        if (this.#ended) break;
        if (batch.length > 0) yield batch;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.close();
    }
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** Returns everything that can be delivered now. */
  #take(): Batch {
    if (this.#ended) return [];
    const batch: (StoreEvent | ProgressNotify)[] = this.#behind ? this.#readHistory() : this.#buffer;
    if (!this.#behind) {
      // All visible events have been pushed here, so anything not in the buffer does not concern this watch.
      this.#buffer = [];
      this.#reached = this.#timeline.revision;
      if (this.#progressWanted) {
        this.#progressWanted = false;
        batch.push({ type: 'progress', revision: this.#reached });
      }
    }
    return batch;
  }

  #readHistory(): StoreEvent[] {
    try {
      const { events, upTo } = this.#timeline.eventsAfter(this.#reached, WATCH_BUFFER, this.#accepts);
      this.#reached = upTo;
      this.#behind = upTo < this.#timeline.revision;
      return events;
    } catch (error) {
      this.end(error as Error);
      return [];
    }
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
