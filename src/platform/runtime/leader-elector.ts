import type { Clock } from '#platform/base/clock';
import { TemporaryError } from '#platform/base/errors';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import type { Elapsed } from './elapsed.ts';
import { LeaderLease, type LeaseTimes, RETRY_JITTER } from './leader-lease.ts';
import { type LeaderTerm, RenewedTerm } from './leader-term.ts';
import type { Runnable } from './runnable.ts';

export interface LeaderElectorOptions {
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Name of the candidate for people, such as its host name. A unique part is added. */
  readonly identity: string;
  /** Client for the lease alone. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly times?: LeaseTimes;
  /**
   * Caches that outlive a term. They are refreshed before each term, so that no leader acts on a state that its
   * predecessor has changed.
   */
  readonly informers?: { refresh(signal: AbortSignal): Promise<void> };
  /**
   * Runs the work of a leader, once per term. It resolves when everything is cleaned up after the signal of the term;
   * until then this process is not a candidate again.
   */
  run(term: LeaderTerm): Promise<void>;
}

export interface LeaderElector extends Runnable {
  /** Reports whether this process is the leader now. */
  readonly isLeader: boolean;
}

/** Time that a stop waits for a server that does not respond. */
const PARTING_MS = 1000;

/**
 * Runs something only while this process is the leader. A leader acts until `renewDeadline` after it sent its last
 * successful renewal; a candidate waits `leaseDuration`, which is longer, after it saw the last change. Hence no two
 * ever act at once, whatever is slow, fails or sleeps, as long as their clocks run about equally fast. When stopped, a
 * leader cleans up first and then releases the lease.
 */
export function createLeaderElector(options: LeaderElectorOptions): LeaderElector {
  return new LeaseElector(options);
}

class LeaseElector implements LeaderElector {
  readonly name: string;
  readonly #options: LeaderElectorOptions;
  readonly #holder: string;
  readonly #log: Logger;
  #term: RenewedTerm | undefined;

  constructor(options: LeaderElectorOptions) {
    const { lease, identity, random, log } = options;
    this.name = `leading by ${lease.name}`;
    this.#options = options;
    this.#holder = `${identity}_${random.uuid()}`;
    this.#log = log.child({ lease: `${lease.namespace}/${lease.name}`, holder: this.#holder });
  }

  get isLeader(): boolean {
    return this.#term?.held === true;
  }

  async run(signal: AbortSignal): Promise<void> {
    const held = new LeaderLease({ ...this.#options, holder: this.#holder });
    try {
      for (let more = true; more && !signal.aborted; ) {
        const sent = await this.#acquire(held, signal);
        if (sent !== undefined && !signal.aborted) more = await this.#lead(held, sent, signal);
      }
    } finally {
      await this.#within(PARTING_MS, (each) => held.release(each)).catch((error: unknown) => {
        this.#log.debug({ err: error }, 'failed to release the lease; it will expire');
      });
    }
  }

  /**
   * Gives up on a response after `ms`, or soon after the signal; the request may still take effect. It does not give up
   * at once on the signal, because a known result is better.
   */
  async #within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { clock } = this.#options;
    const late = new AbortController();
    const giveUp = () => late.abort(new TemporaryError('request timed out'));
    const timers = [clock.timer(ms, giveUp)];
    const hurry = () => void timers.push(clock.timer(PARTING_MS, giveUp));
    signal?.addEventListener('abort', hurry, { once: true });
    try {
      return await Promise.race([work(late.signal), rejection(late.signal)]);
    } finally {
      signal?.removeEventListener('abort', hurry);
      for (const timer of timers) timer.cancel();
    }
  }

  async #acquire(held: LeaderLease, signal: AbortSignal): Promise<Elapsed | undefined> {
    const { clock, random } = this.#options;
    const { renewDeadlineMs, retryMs } = held.times;
    while (!signal.aborted) {
      let pause = retryMs * (1 + RETRY_JITTER * random.next());
      try {
        const sent = await this.#within(renewDeadlineMs / 2, (each) => held.claim(each), signal);
        if (sent !== undefined && sent.max < renewDeadlineMs) return sent;
        pause = held.nextCheckMs;
      } catch (error) {
        if (!signal.aborted) this.#log.debug({ err: error }, 'failed to acquire the lease; retrying');
      }
      await clock.sleep(pause, signal).catch(() => {});
    }
    return undefined;
  }

  async #renew(held: LeaderLease, current: RenewedTerm): Promise<void> {
    const { renewDeadlineMs, retryMs } = held.times;
    for (;;) {
      await this.#options.clock.sleep(retryMs, current.over).catch(() => {});
      if (!current.held) return;
      try {
        const sent = await this.#within(renewDeadlineMs / 2, (each) => held.claim(each));
        if (sent === undefined) current.end();
        else current.renew(sent);
      } catch (error) {
        this.#log.debug({ err: error }, 'failed to renew the lease; retrying');
      }
    }
  }

  /** Runs one term, and returns whether there may be another. */
  async #lead(held: LeaderLease, sent: Elapsed, signal: AbortSignal): Promise<boolean> {
    const { clock, informers } = this.#options;
    const current = new RenewedTerm(clock, held.times.renewDeadlineMs, sent);
    this.#term = current;
    const stop = () => current.stop();
    signal.addEventListener('abort', stop, { once: true });
    this.#log.info('became leader');
    const renewing = this.#renew(held, current);
    try {
      await informers?.refresh(current.signal);
      if (!current.signal.aborted) await this.#options.run(current);
      return current.signal.aborted;
    } finally {
      const lost = !current.held;
      if (lost)
        this.#log.warn('no longer the leader: the lease was not renewed in time, or is held by another process');
      signal.removeEventListener('abort', stop);
      current.end();
      // A renewal that is still in progress could otherwise arrive after the release and hold the lease again.
      await this.#within(PARTING_MS, () => renewing).catch(() => {});
    }
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
