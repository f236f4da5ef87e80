import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import { CarbonError, type CarbonProvider } from './provider.ts';
import { inOrder, type Slot } from './slot.ts';

/** Current knowledge about a zone. */
export interface ZoneReading {
  /** Current slot and forecast in order of time. Empty if there was no reading yet. */
  readonly slots: readonly Slot[];
  /** Time since which a first response, good or bad, is awaited. */
  readonly requestedSince?: number;
  /** Reason for which the last request failed. */
  readonly problem?: string;
}

export interface IntensityCacheOptions {
  readonly provider: CarbonProvider;
  readonly clock: Clock;
  readonly log: Logger;
  /** Time for which a response is valid. */
  readonly refreshMs: number;
}

interface ZoneState {
  slots: readonly Slot[];
  readonly since: number;
  answered: boolean;
  problem: string | undefined;
  failures: number;
  /** Time of the next request. */
  due: number;
  /** Number of responses since the zone was last read. */
  unwanted: number;
}

/** Minimum time between two requests for any zones, since providers count them. */
const SPACING_MS = 1_000;
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 30 * 60_000;
/** Number of unread responses after which a zone is no longer requested. */
const LAPSES_AFTER = 3;

/**
 * Caches the provider's readings of the zones in use: one request at a time, and each zone at most once per refresh,
 * less often while it fails. Listeners are notified of every response, good or bad.
 */
export class IntensityCache {
  readonly name = 'grid-watch';
  readonly provider: CarbonProvider;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #refreshMs: number;
  readonly #zones = new Map<string, ZoneState>();
  readonly #listeners = new Set<(zone: string) => void>();
  readonly #counts = { success: 0, error: 0 };
  #wake: (() => void) | undefined;

  constructor({ provider, clock, log, refreshMs }: IntensityCacheOptions) {
    this.provider = provider;
    this.#clock = clock;
    this.#log = log;
    this.#refreshMs = refreshMs;
  }

  /** Returns the reading of a zone. The first call starts requesting it. */
  reading(zone: string): ZoneReading {
    const now = this.#clock.now();
    let known = this.#zones.get(zone);
    if (known === undefined) {
      known = { slots: [], since: now, answered: false, problem: undefined, failures: 0, due: now, unwanted: 0 };
      this.#zones.set(zone, known);
      this.#wake?.();
    }
    known.unwanted = 0;
    return {
      slots: known.slots,
      ...(known.answered ? {} : { requestedSince: known.since }),
      ...(known.problem === undefined ? {} : { problem: known.problem }),
    };
  }

  /** Iterates over all zones in use with their slots. */
  *known(): Iterable<readonly [zone: string, slots: readonly Slot[]]> {
    for (const [zone, { slots }] of this.#zones) yield [zone, slots];
  }

  /** Number of requests so far, by result. */
  get counts(): Readonly<Record<'success' | 'error', number>> {
    return this.#counts;
  }

  /** Calls the listener after every response for a zone, until the returned function is called. */
  onAnswer(listener: (zone: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Requests every zone again, after a file or ConfigMap may have changed. */
  refresh(): void {
    for (const known of this.#zones.values()) known.due = this.#clock.now();
    this.#wake?.();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const next = this.#next();
      const waitMs = next === undefined ? Number.POSITIVE_INFINITY : next[1].due - this.#clock.now();
      if (next === undefined || waitMs > 0) await this.#pause(waitMs, signal);
      else {
        await this.#fetch(...next, signal);
        await this.#clock.sleep(SPACING_MS, signal).catch(() => {});
      }
    }
  }

  /** Returns the zone that is due first, and drops zones that are no longer in use. */
  #next(): [string, ZoneState] | undefined {
    let first: [string, ZoneState] | undefined;
    for (const [zone, known] of this.#zones) {
      if (known.unwanted >= LAPSES_AFTER) this.#zones.delete(zone);
      else if (first === undefined || known.due < first[1].due) first = [zone, known];
    }
    return first;
  }

  async #fetch(zone: string, known: ZoneState, signal: AbortSignal): Promise<void> {
    try {
      const current = await this.provider.current(zone, signal);
      known.slots = inOrder(current, await this.#forecast(zone, signal));
      known.problem = undefined;
      known.failures = 0;
      known.due = this.#clock.now() + this.#refreshMs;
      this.#counts.success++;
    } catch (error) {
      if (signal.aborted) return;
      this.#counts.error++;
      known.problem = error instanceof Error ? error.message : String(error);
      const longest = Math.min(2 * this.#refreshMs, MAX_RETRY_MS);
      const backOff = Math.min(FIRST_RETRY_MS * 2 ** known.failures++, longest);
      const requested = error instanceof CarbonError ? (error.retryAfterMs ?? 0) : 0;
      known.due = this.#clock.now() + Math.max(backOff, requested);
      // The stack of a provider's error says nothing about its cause.
      const why = error instanceof CarbonError ? { problem: known.problem } : { err: error };
      this.#log.warn({ zone, provider: this.provider.name, ...why }, 'failed to fetch the carbon intensity');
    }
    known.answered = true;
    known.unwanted++;
    for (const listener of this.#listeners) listener(zone);
  }

  /**
   * Fetches the forecast, if possible. Not every plan covers forecasts, and the current intensity is useful without
   * one.
   */
  async #forecast(zone: string, signal: AbortSignal): Promise<readonly Slot[]> {
    return await this.provider.forecast(zone, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      this.#log.debug({ zone, provider: this.provider.name, err: error }, 'there is no forecast');
      return [];
    });
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    this.#wake = () => stop.abort();
    await this.#clock.sleep(ms, AbortSignal.any([signal, stop.signal])).catch(() => {});
    this.#wake = undefined;
  }
}
