import type { Clock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import { microTimestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { LEASES, type Lease } from '#platform/kube/kinds/node';
import { isAlreadyExists, isConflict, isNotFound, KubeError } from '#platform/kube/kube-error';
import { Elapsed } from './elapsed.ts';

/** How long a lease lasts, and how often it is renewed; milliseconds, as client-go has them by default. */
export interface LeaseTimes {
  /** Nobody else takes the lease before this long after it saw the last renewal. */
  readonly leaseMs: number;
  /** The holder gives up when its last good renewal was sent this long ago. */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

export const LEASE_TIMES: LeaseTimes = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2000 };
/** Whoever failed waits up to this many times longer at random, so that not all ask at once. */
export const RETRY_JITTER = 1.2;

/** Attempts without an answer that are remembered; one that is forgotten only costs the time until the lease runs out. */
const MAX_SENT = 64;

export interface LeaderLeaseDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Of this process alone: nobody else ever has the same. */
  readonly holder: string;
  readonly times?: LeaseTimes;
}

/**
 * A Lease that one of several candidates holds, in the way of client-go. Times in it are for people to read: everybody
 * goes by their own clock, from when they saw it change. Every write names the version that it follows, so of several
 * at once only one can succeed.
 */
export class LeaderLease {
  readonly times: LeaseTimes;
  readonly #parts: LeaderLeaseDeps;
  /** As it was when it was last there, whether it still is, and since when nothing of that has changed. */
  #seen: { readonly lease: Lease; readonly there: boolean; readonly since: Elapsed } | undefined;
  /** The renewal times that this process has sent since it last knew for sure: what holds one of them is its own. */
  readonly #sent = new Set<string>();

  constructor(parts: LeaderLeaseDeps) {
    this.#parts = parts;
    this.times = assertValidTimes(parts.times ?? LEASE_TIMES);
  }

  /**
   * Takes the lease or renews it. Answers with the time since the request was sent, or undefined where somebody else
   * holds the lease. Where it throws, nobody knows.
   */
  async claim(signal: AbortSignal): Promise<Elapsed | undefined> {
    const { lease: known, there = false } = this.#seen ?? {};
    if (known !== undefined && there && this.#isOwn(known)) {
      const renewed = await this.#put(known, signal).catch(unless(isRefusal));
      if (renewed !== undefined) return renewed;
    }
    const found = await this.#read(signal);
    if (found === undefined) return this.#isHeldByAnother() ? undefined : await this.#create(signal);
    if (this.#isHeldByAnother()) return undefined;
    return await this.#put(found, signal).catch(unless(isConflict));
  }

  /**
   * How long to wait until asking again makes sense. A renewal counts from when it was seen, so a candidate looks twice
   * as often as the holder renews; and it looks at the very moment at which the lease runs out.
   */
  get nextCheckMs(): number {
    const look = this.times.retryMs / 2;
    return this.#isHeldByAnother() ? Math.min(look, this.#leftMs() + 1) : look;
  }

  /** Gives the lease back where it is still held, so that another can take it at once. */
  async release(signal: AbortSignal): Promise<void> {
    if (this.#sent.size === 0) return;
    const found = await this.#read(signal);
    if (found === undefined || !this.#isOwn(found)) return;
    const now = microTimestamp(this.#parts.clock.now());
    const times = { leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
    await this.#parts.client.update(
      LEASES,
      { ...found, spec: { ...found.spec, ...times, holderIdentity: '' } },
      { signal },
    );
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { client, lease } = this.#parts;
    const { name, namespace } = lease;
    const found = await client.get(LEASES, name, { namespace, signal }).catch(unless(isNotFound));
    signal.throwIfAborted();
    this.#see(found);
    return found;
  }

  /** Only a change starts the time anew: a holder that stands still loses the lease. */
  #see(found: Lease | undefined): void {
    const { lease, there } = this.#seen ?? { there: false };
    const same = found === undefined ? !there : there && found.metadata.resourceVersion === versionOf(lease);
    const last = found ?? lease;
    if (!same && last !== undefined) {
      this.#seen = { lease: last, there: found !== undefined, since: new Elapsed(this.#parts.clock) };
    }
    // What was sent before this version can have no effect any more.
    if (found !== undefined && !this.#isOwn(found)) this.#sent.clear();
  }

  #isOwn({ spec = {} }: Lease): boolean {
    return spec.holderIdentity === this.#parts.holder && this.#sent.has(spec.renewTime ?? '');
  }

  /** Even where the lease itself was deleted, since its holder may not know that yet. */
  #isHeldByAnother(): boolean {
    if (this.#seen === undefined || this.#isOwn(this.#seen.lease)) return false;
    return (this.#seen.lease.spec?.holderIdentity ?? '') !== '' && this.#leftMs() > 0;
  }

  #leftMs(): number {
    if (this.#seen === undefined) return 0;
    const { leaseDurationSeconds = 0 } = this.#seen.lease.spec ?? {};
    return Math.max(this.times.leaseMs, leaseDurationSeconds * 1000) - this.#seen.since.min;
  }

  #remember(renewTime: string): void {
    const [oldest] = this.#sent;
    if (oldest !== undefined && this.#sent.size >= MAX_SENT) this.#sent.delete(oldest);
    this.#sent.add(renewTime);
  }

  async #create(signal: AbortSignal): Promise<Elapsed | undefined> {
    const { client, lease } = this.#parts;
    const spec = this.#spec(undefined);
    const since = new Elapsed(this.#parts.clock);
    const created = await client
      .create(LEASES, { metadata: { ...lease }, spec }, { signal })
      .catch(unless(isAlreadyExists));
    return created === undefined ? undefined : this.#confirmed(created, since, signal);
  }

  async #put(before: Lease, signal: AbortSignal): Promise<Elapsed> {
    const spec = { ...before.spec, ...this.#spec(before) };
    const since = new Elapsed(this.#parts.clock);
    const written = await this.#parts.client.update(LEASES, { ...before, spec }, { signal });
    return this.#confirmed(written, since, signal);
  }

  #confirmed(written: Lease, since: Elapsed, signal: AbortSignal): Elapsed {
    // An answer that nobody waits for any more may be older than what is known by now.
    signal.throwIfAborted();
    this.#seen = { lease: written, there: true, since };
    this.#sent.clear();
    this.#sent.add(written.spec?.renewTime ?? '');
    return since;
  }

  #spec(before: Lease | undefined): NonNullable<Lease['spec']> {
    const { clock, holder } = this.#parts;
    const { holderIdentity, acquireTime, renewTime, leaseTransitions = 0 } = before?.spec ?? {};
    const time = microTimestamp(clock.now());
    // A renewal that changed nothing would be none: others could not see it.
    const now = time === renewTime ? microTimestamp(clock.now() + 1) : time;
    this.#remember(now);
    const kept = holderIdentity === holder;
    return {
      holderIdentity: holder,
      leaseDurationSeconds: Math.ceil(this.times.leaseMs / 1000),
      acquireTime: kept ? (acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: before === undefined || kept ? leaseTransitions : leaseTransitions + 1,
    };
  }
}

const versionOf = (lease: Lease | undefined) => lease?.metadata.resourceVersion;

function assertValidTimes(times: LeaseTimes): LeaseTimes {
  const { leaseMs, renewDeadlineMs, retryMs } = times;
  if (leaseMs > renewDeadlineMs && renewDeadlineMs > RETRY_JITTER * retryMs && retryMs > 0) return times;
  throw new ConfigError(
    `a lease of ${leaseMs} ms must last longer than its renewal may take (${renewDeadlineMs} ms), and that longer than ${RETRY_JITTER} times the time between two attempts (${retryMs} ms)`,
  );
}

/** The lease has changed, or is gone: servers say the latter in several ways. */
const isRefusal = (error: unknown) => error instanceof KubeError && error.code < 500;

/** Nothing, where the server refuses for this reason. */
const unless =
  (expected: (error: unknown) => boolean) =>
  (error: unknown): undefined => {
    if (!expected(error)) throw error;
  };
