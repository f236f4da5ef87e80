import type { Clock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import { microTimestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { LEASES, type Lease } from '#platform/kube/kinds/node';
import { isAlreadyExists, isConflict, isNotFound, KubeError } from '#platform/kube/kube-error';
import { Elapsed } from './elapsed.ts';

/** Times of a lease in milliseconds. The defaults are those of client-go. */
export interface LeaseTimes {
  /** Time after the last observed renewal before which no other candidate takes the lease. */
  readonly leaseMs: number;
  /** Time after sending the last successful renewal at which the holder gives up. */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

export const LEASE_TIMES: LeaseTimes = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2000 };
/** Failed candidates wait up to this many times longer at random, so that not all retry at once. */
export const RETRY_JITTER = 1.2;

/** Maximum number of recorded attempts without a response. Dropping one only costs the time until the lease expires. */
const MAX_SENT = 64;

export interface LeaderLeaseDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Identity of this process, unique among all candidates. */
  readonly holder: string;
  readonly times?: LeaseTimes;
}

/**
 * Lease that one of several candidates holds, like in client-go: each candidate uses its own clock, from when it saw
 * the lease change, and the times are for people to read. Every write names the version that it follows, so of several
 * at once only one can succeed.
 */
export class LeaderLease {
  readonly times: LeaseTimes;
  readonly #parts: LeaderLeaseDeps;
  /** Last observed lease, whether it still exists, and the time since the last change. */
  #seen: { readonly lease: Lease; readonly there: boolean; readonly since: Elapsed } | undefined;
  /**
   * Renewal times that this process has sent since it last knew the state for sure. A lease that holds one of them is
   * its own.
   */
  readonly #sent = new Set<string>();

  constructor(parts: LeaderLeaseDeps) {
    this.#parts = parts;
    this.times = assertValidTimes(parts.times ?? LEASE_TIMES);
  }

  /**
   * Acquires or renews the lease, and returns the time since the request was sent, or undefined if another candidate
   * holds the lease. If it throws, the result is unknown.
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
   * Time until the next useful check. A renewal counts from when it was seen, so a candidate checks twice as often as
   * the holder renews, and at the very moment at which the lease expires.
   */
  get nextCheckMs(): number {
    const look = this.times.retryMs / 2;
    return this.#isHeldByAnother() ? Math.min(look, this.#leftMs() + 1) : look;
  }

  /** Releases the lease if it is still held, so that another candidate can take it at once. */
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

  /** Records an observation. Only a change restarts the time, so a stalled holder loses the lease. */
  #see(found: Lease | undefined): void {
    const { lease, there } = this.#seen ?? { there: false };
    const same = found === undefined ? !there : there && found.metadata.resourceVersion === versionOf(lease);
    const last = found ?? lease;
    if (!same && last !== undefined) {
      this.#seen = { lease: last, there: found !== undefined, since: new Elapsed(this.#parts.clock) };
    }
    // Requests that were sent before this version can no longer take effect.
    if (found !== undefined && !this.#isOwn(found)) this.#sent.clear();
  }

  #isOwn({ spec = {} }: Lease): boolean {
    return spec.holderIdentity === this.#parts.holder && this.#sent.has(spec.renewTime ?? '');
  }

  /**
   * Reports whether another candidate holds the lease, even if the lease was deleted: its holder may not know that yet.
   */
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
    // A response that is no longer awaited may be older than the known state.
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
    // A renewal that changed nothing would be invisible to others.
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

/** Reports whether the lease has changed or is gone, which servers report in several ways. */
const isRefusal = (error: unknown) => error instanceof KubeError && error.code < 500;

/** Returns undefined for the expected error, and rethrows any other. */
const unless =
  (expected: (error: unknown) => boolean) =>
  (error: unknown): undefined => {
    if (!expected(error)) throw error;
  };
