import type { Clock, Timer } from '#platform/base/clock';
import { TemporaryError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import type { Elapsed } from './elapsed.ts';
import { fencedClient } from './fenced-client.ts';

/** Period in which this process is the leader. */
export interface LeaderTerm {
  /**
   * Signal that is aborted when the work of this term must clean up, because of a stop or because the lease is lost.
   */
  readonly signal: AbortSignal;
  /** Reports whether this process is the leader at this very moment, even if it has slept and was not notified. */
  readonly held: boolean;
  /**
   * Returns the client for the work of this term. It rejects writes once the term is finished, and cancels those in
   * progress; reads continue.
   */
  guard(client: Client): Client;
}

/** Reports that a write was rejected because this process is not, or no longer, the leader. */
export class NotLeadingError extends TemporaryError {
  constructor() {
    super('this process is not the leader and must not write', { code: 'NOT_LEADING' });
  }
}

/** Term that lasts as long as it is renewed. Once it is finished, nothing restores it. */
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

  /** Signal that is aborted when writes are no longer allowed in this term. */
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

  /**
   * Extends the term after a renewal whose request was sent that long ago. It is too late if the term is finished by
   * then.
   */
  renew(sent: Elapsed): void {
    if (!this.held) return;
    this.#renewed = sent;
    this.#timer.cancel();
    this.#timer = this.#armed();
  }

  /** Requests the work to clean up, while it may still write. */
  stop(): void {
    this.#stop.abort();
  }

  /** Ends the term. Writes are not allowed from now on. */
  end(): void {
    this.#timer.cancel();
    this.#over.abort(new NotLeadingError());
    this.#stop.abort();
  }

  #armed(): Timer {
    return this.#clock.timer(this.#deadlineMs - this.#renewed.max, () => this.end());
  }
}
