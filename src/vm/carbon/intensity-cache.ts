import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import { CarbonError, type CarbonProvider } from './provider.ts';
import { inOrder, type Slot } from './slot.ts';

/** What is known of a zone at the moment. */
export interface ZoneReading {
  /** How it is now and what is foretold, in order of time; none where nothing was ever heard. */
  readonly slots: readonly Slot[];
  /** Since when an answer is waited for, where none has come yet, good or bad. */
  readonly requestedSince?: number;
  /** Why the last question brought nothing. */
  readonly problem?: string;
}

export interface IntensityCacheOptions {
  readonly provider: CarbonProvider;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long an answer is good for. */
  readonly refreshMs: number;
}

interface ZoneState {
  slots: readonly Slot[];
  readonly since: number;
  answered: boolean;
  problem: string | undefined;
  failures: number;
  /** When to ask next. */
  due: number;
  /** Answers since somebody last wanted to know. */
  unwanted: number;
}

/** Between two questions, whatever the zones: providers count them. */
const SPACING_MS = 1_000;
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 30 * 60_000;
/** A zone is asked for no more when nobody has wanted to know so many answers. */
const LAPSES_AFTER = 3;

/**
 * Keeps what a provider says of the zones that somebody wants to know of: one question at a time, each zone at most once
 * in a refresh, less often while it fails. Whoever listens is told of every answer, good or bad.
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

  /** What is known of a zone; from the first call on it is asked for. */
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

  /** All zones that somebody wants to know of, with what is known of them. */
  *known(): Iterable<readonly [zone: string, slots: readonly Slot[]]> {
    for (const [zone, { slots }] of this.#zones) yield [zone, slots];
  }

  /** Questions so far, by what they came to. */
  get counts(): Readonly<Record<'success' | 'error', number>> {
    return this.#counts;
  }

  /** Calls back after every answer for a zone, until the returned function is called. */
  onAnswer(listener: (zone: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What was known may have changed, as a file or ConfigMap has: every zone is asked for anew. */
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

  /** The zone that is due first, without those that nobody wants any more. */
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
      const asked = error instanceof CarbonError ? (error.retryAfterMs ?? 0) : 0;
      known.due = this.#clock.now() + Math.max(backOff, asked);
      // What a provider says is wrong has nothing to do with where in the program it is read.
      const why = error instanceof CarbonError ? { problem: known.problem } : { err: error };
      this.#log.warn({ zone, provider: this.provider.name, ...why }, 'the carbon intensity could not be had');
    }
    known.answered = true;
    known.unwanted++;
    for (const listener of this.#listeners) listener(zone);
  }

  /** Not every plan covers forecasts, and what is now is worth knowing without one. */
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
