import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { EVENTS } from '#platform/kube/kinds/event';
import { isAlreadyExists, isNotFound, KubeError } from '#platform/kube/kube-error';
import type { Runnable } from '../runnable.ts';
import { waitForAbort } from '../wait-for-abort.ts';
import { AdaptiveBatch } from './adaptive-batch.ts';
import { Correlator, type EventDraft, type EventWrite } from './correlator.ts';
import type { EventRecorder } from './event-recorder.ts';

/** Reason why an Event was not written. */
export type EventDrop = 'queue_full' | 'rate_limited' | 'failed' | 'stopped';

export interface EventsDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Maximum number of queued Events. Further ones are dropped. */
  readonly capacity?: number;
  /** Time to continue writing queued Events after a stop. */
  readonly flushMs?: number;
  readonly onDrop?: (why: EventDrop) => void;
}

interface Waiting extends EventDraft {
  readonly correlator: Correlator;
}

const CAPACITY = 131_072;
const FLUSH_MS = 500;
/** Number of concurrent writes, which matters for a remote server. */
const PARALLEL = 8;
const TRIES = 12;
const TERMINATING = 'NamespaceTerminating';
const RETRY_MS = 10_000;

/**
 * Writes the Events of a process in the order they were recorded, a few at a time, so that other work goes first. After
 * a stop, it writes queued Events for a bounded time.
 */
export class Events implements Runnable {
  readonly name = 'events';
  readonly #parts: EventsDeps;
  readonly #nameFor: (object: string, at: number) => string;
  readonly #ending = new AbortController();
  #waiting: Waiting[] = [];
  #next = 0;
  #wake: (() => void) | undefined;
  #full = false;
  #failing = false;

  constructor(parts: EventsDeps) {
    this.#parts = parts;
    this.#nameFor = eventNames(parts.random.fork('events'));
  }

  /** Number of queued Events. */
  get size(): number {
    return this.#waiting.length - this.#next;
  }

  /** Creates a recorder whose Events name this component as their source. */
  recorder(component: string): EventRecorder {
    const { clock } = this.#parts;
    const correlator = new Correlator({ component, nameFor: this.#nameFor });
    return {
      event: ({ apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } }, type, reason, message) => {
        // Only the fields that the Event needs are retained, so that no queued Event references a whole object.
        const about = {
          apiVersion,
          kind,
          ...(namespace === undefined ? {} : { namespace }),
          ...(name === undefined ? {} : { name }),
          ...(uid === undefined ? {} : { uid }),
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        };
        this.#add({ correlator, about, type, reason, message, at: clock.now() });
      },
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, flushMs = FLUSH_MS } = this.#parts;
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
    const writing = this.#writeAll(signal);
    await Promise.race([waitForAbort(signal), writing]);
    using _limit = clock.timer(flushMs, () => this.#ending.abort());
    await Promise.race([writing, waitForAbort(this.#ending.signal)]);
    this.#ending.abort();
  }

  async #writeAll(signal: AbortSignal): Promise<void> {
    const pace = new AdaptiveBatch(this.#parts.clock);
    let behind = false;
    while (!signal.aborted) {
      if (this.size === 0) await this.#told();
      const max = await pace.next(behind, signal);
      if (signal.aborted) break;
      const batch = this.#take(max);
      behind = batch.length === max;
      await this.#write(batch, signal);
    }
    await this.#write(this.#take(Number.POSITIVE_INFINITY), signal);
  }

  #add(waiting: Waiting): void {
    const { capacity = CAPACITY, log } = this.#parts;
    if (this.#ending.signal.aborted) return this.#dropped('stopped');
    if (this.size >= capacity) {
      if (!this.#full) log.warn({ capacity }, 'too many events are waiting to be written; dropping new ones');
      this.#full = true;
      return this.#dropped('queue_full');
    }
    this.#full = false;
    this.#waiting.push(waiting);
    this.#wake?.();
  }

  #take(count: number): Waiting[] {
    const taken = this.#waiting.slice(this.#next, this.#next + count);
    this.#next += taken.length;
    if (this.#next * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    return taken;
  }

  async #told(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  /** Writes each Event once, no matter how often it was recorded in this batch. */
  async #write(batch: readonly Waiting[], stopped: AbortSignal): Promise<void> {
    const now = this.#parts.clock.monotonic();
    const writes = new Map<string, EventWrite>();
    for (const waiting of batch) {
      const write = waiting.correlator.correlate(waiting, now);
      if (write === undefined) {
        this.#dropped('rate_limited');
        continue;
      }
      const key = `${write.event.metadata.namespace}/${write.event.metadata.name}`;
      writes.set(key, { ...write, repeated: writes.get(key)?.repeated ?? write.repeated });
    }
    const left = writes.values();
    const one = async () => {
      for (const write of left) await this.#persist(write, stopped);
    };
    await Promise.all(Array.from({ length: Math.min(PARALLEL, writes.size) }, one));
  }

  /**
   * Writes one Event. It is dropped if the server rejects it, and retried a few times if the server cannot be reached.
   */
  async #persist(write: EventWrite, stopped: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#parts;
    for (let tries = 1; ; tries++) {
      if (this.#ending.signal.aborted) return this.#dropped('stopped');
      try {
        await this.#send(write);
        this.#failing = false;
        return;
      } catch (error) {
        if (error instanceof KubeError || tries === TRIES || stopped.aborted) {
          // Only the first failure in a row is logged as a warning, because the others most likely have the same cause.
          const aloud = !this.#failing && !isLeaving(error) && !stopped.aborted;
          log[aloud ? 'warn' : 'debug']({ err: error, event: write.event }, 'failed to write an event');
          if (!isLeaving(error)) this.#failing = true;
          return this.#dropped('failed');
        }
        await clock.sleep(RETRY_MS * (0.5 + random.next() / 2), stopped).catch(() => {});
      }
    }
  }

  async #send({ event, repeated }: EventWrite): Promise<void> {
    const { client } = this.#parts;
    const { signal } = this.#ending;
    const { metadata, count, lastTimestamp, message, involvedObject } = event;
    const { name = '', namespace = '' } = metadata;
    if (repeated) {
      const patch = { type: 'merge', body: { count, lastTimestamp, message } } as const;
      const found = await client.patch(EVENTS, name, patch, { namespace, signal }).catch(unless(isNotFound));
      if (found !== undefined) return;
    }
    const created = await client.create(EVENTS, event, { signal }).catch(unless(isAlreadyExists));
    if (created !== undefined || repeated) return;
    const another = this.#nameFor(involvedObject.name ?? '', this.#parts.clock.now());
    await client.create(EVENTS, { ...event, metadata: { ...metadata, name: another } }, { signal });
  }

  #dropped(why: EventDrop): void {
    this.#parts.onDrop?.(why);
  }
}

/** Reports whether the namespace is terminating and takes no more Events. */
function isLeaving(error: unknown): boolean {
  const leaving = error instanceof KubeError && error.details.causes?.some((cause) => cause.reason === TERMINATING);
  return isNotFound(error) || leaving === true;
}

const unless = (expected: (error: unknown) => boolean) => (error: unknown) => {
  if (!expected(error)) throw error;
  return undefined;
};

/**
 * Generates names like client-go: the object's name and the time in nanoseconds, whose part below a millisecond is a
 * counter.
 */
function eventNames(random: Random): (object: string, at: number) => string {
  let count = random.int(0, 999_999);
  return (object, at) => {
    count = (count + 1) % 1_000_000;
    return `${object.slice(0, 230)}.${(BigInt(Math.trunc(at)) * 1_000_000n + BigInt(count)).toString(16)}`;
  };
}
