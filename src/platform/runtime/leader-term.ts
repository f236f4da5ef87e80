import type { Clock, Timer } from '#platform/base/clock';
import { TemporaryError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import type { Elapsed } from './elapsed.ts';
import { fencedClient } from './fenced-client.ts';

/** One stretch of time in which this process leads. */
export interface LeaderTerm {
  /** Aborted when whatever runs in this term shall put itself away, because it was told to or because it no longer leads. */
  readonly signal: AbortSignal;
  /** Whether this process leads at this very moment, even where it has slept and nothing could tell it otherwise. */
  readonly held: boolean;
  /**
   * The client for whatever runs in this term: it refuses to write once the term is over, and calls off what is on its
   * way then. Reading goes on.
   */
  guard(client: Client): Client;
}

/** A write was refused because this process does not lead, or does no longer. */
export class NotLeadingError extends TemporaryError {
  constructor() {
    super('this process does not lead: it must not write', { code: 'NOT_LEADING' });
  }
}

/** A term that lasts as long as it is renewed; once it is over, nothing brings it back. */
export class RenewedTerm implements LeaderTerm {
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #stop = new AbortController();
  readonly #over = new AbortController();
  #renewed: Elapsed;
  #timer: Timer;

  constructor(clock: Clock, deadlineMs: number, renewed: Elapsed) {
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    this.#renewed = renewed;
    this.#timer = this.#armed();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Aborted when nothing may be written in this term any more. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  get held(): boolean {
    if (!this.#over.signal.aborted && this.#renewed.max >= this.#deadlineMs) this.end();
    return !this.#over.signal.aborted;
  }

  guard(client: Client): Client {
    return fencedClient(client, {
      signal: this.#over.signal,
      check: () => {
        if (!this.held) throw new NotLeadingError();
      },
    });
  }

  /** The lease was renewed by a request that was sent so long ago; too late where the term is over by then. */
  renew(sent: Elapsed): void {
    if (!this.held) return;
    this.#renewed = sent;
    this.#timer.cancel();
    this.#timer = this.#armed();
  }

  /** Asks whatever runs to put itself away, while it may still write. */
  stop(): void {
    this.#stop.abort();
  }

  /** Nothing may be written from now on. */
  end(): void {
    this.#timer.cancel();
    this.#over.abort(new NotLeadingError());
    this.#stop.abort();
  }

  #armed(): Timer {
    return this.#clock.timer(this.#deadlineMs - this.#renewed.max, () => this.end());
  }
}
