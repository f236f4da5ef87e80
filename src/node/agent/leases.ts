import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { microTimestamp } from '../../base/timestamp.ts';
import type { Client } from '../../kube/client.ts';
import { LEASES, type Lease } from '../../kube/kinds/node.ts';
import { isAlreadyExists, isNotFound } from '../../kube/kube-error.ts';
import type { KubeOwnerReference } from '../../kube/kube-object.ts';
import { aborted } from '../../runtime/aborted.ts';
import type { Runnable } from '../../runtime/runnable.ts';

export const LEASE_NAMESPACE = 'kube-node-lease';

export interface LeaseOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly renewEveryMs?: number;
  readonly retryEveryMs?: number;
  /** How old the last successful renewal may be before the machines of a node are ended. */
  readonly fenceAfterMs?: number;
  /** Leases renewed at once. */
  readonly concurrency?: number;
  /** The lease of a node has been renewed for the first time, or again after it lapsed. */
  readonly onHeld: (node: string) => void;
  /** The last renewal of a node is too long ago: everybody else may think that it is gone. */
  readonly onLapsed: (node: string) => void;
}

interface Kept {
  readonly owner: KubeOwnerReference | undefined;
  /** Monotonic time before the last renewal that went well was sent. */
  renewedAt: number | undefined;
  /** Monotonic time from which on it is to be renewed. */
  dueAt: number;
  held: boolean;
  paused: boolean;
  /** Whether the lease had lapsed when it was first seen here. */
  foundLapsed: boolean;
}

const RENEW_EVERY = 20_000;
const RETRY_EVERY = 2_000;
/** How old the last sign of life of a node may be before it ends its machines. */
export const FENCE_AFTER = 30_000;
const DURATION_SECONDS = 40;
const CONCURRENCY = 32;

/**
 * Renews the leases of all nodes of a fleet, in one batch and by one timer, and knows which of them still hold. What
 * counts is when a renewal was sent, on a clock that nobody sets: a server that has not seen one for longer than that
 * cannot have given the node up before the node gives itself up.
 */
export class Leases implements Runnable {
  readonly name = 'node leases';
  readonly #options: LeaseOptions;
  readonly #nodes = new Map<string, Kept>();
  #signal: AbortSignal | undefined;
  #renewal: Timer | undefined;
  #renewing = false;
  #fence: Timer | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  add(node: string, owner?: KubeOwnerReference): void {
    if (this.#nodes.has(node)) return;
    const now = this.#options.clock.monotonic();
    const fresh = { renewedAt: undefined, held: false, paused: false, foundLapsed: false };
    this.#nodes.set(node, { owner, dueAt: now, ...fresh });
    this.#arm();
  }

  remove(node: string): void {
    this.#nodes.delete(node);
  }

  /** Renews no more until told otherwise; the lease lapses in its time. */
  pause(node: string, paused: boolean): void {
    const kept = this.#nodes.get(node);
    if (kept === undefined || kept.paused === paused) return;
    kept.paused = paused;
    if (!paused) kept.dueAt = this.#options.clock.monotonic();
    this.#arm();
  }

  held(node: string): boolean {
    const kept = this.#nodes.get(node);
    return kept !== undefined && kept.held && this.#age(kept) < this.#fenceAfter;
  }

  /** Whether the lease had lapsed before anybody here renewed it. */
  foundLapsed(node: string): boolean {
    return this.#nodes.get(node)?.foundLapsed ?? false;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    this.#arm();
    await aborted(signal);
    this.#renewal?.cancel();
    this.#fence?.cancel();
  }

  get #fenceAfter(): number {
    return this.#options.fenceAfterMs ?? FENCE_AFTER;
  }

  #age({ renewedAt }: Kept): number {
    return renewedAt === undefined ? Number.POSITIVE_INFINITY : this.#options.clock.monotonic() - renewedAt;
  }

  /** Sets the one timer to when the first lease is due. */
  #arm(): void {
    if (this.#signal === undefined || this.#signal.aborted || this.#renewing) return;
    let due = Number.POSITIVE_INFINITY;
    for (const { dueAt, paused } of this.#nodes.values()) if (!paused) due = Math.min(due, dueAt);
    this.#renewal?.cancel();
    this.#renewal = undefined;
    if (due === Number.POSITIVE_INFINITY) return;
    this.#renewal = this.#options.clock.timer(due - this.#options.clock.monotonic(), () => void this.#renewDue());
  }

  async #renewDue(): Promise<void> {
    const { clock, concurrency = CONCURRENCY } = this.#options;
    this.#renewing = true;
    const now = clock.monotonic();
    const due = [...this.#nodes].filter(([, { dueAt, paused }]) => !paused && dueAt <= now);
    for (let at = 0; at < due.length; at += concurrency) {
      await Promise.all(due.slice(at, at + concurrency).map(([node, kept]) => this.#renew(node, kept)));
      // With a server in the same process nothing else would give way.
      await clock.sleep(0, this.#signal).catch(() => {});
    }
    this.#renewing = false;
    this.#arm();
  }

  async #renew(node: string, kept: Kept): Promise<void> {
    const { clock, log, renewEveryMs = RENEW_EVERY, retryEveryMs = RETRY_EVERY, onHeld } = this.#options;
    if (this.#nodes.get(node) !== kept || kept.paused) return;
    const sentAt = clock.monotonic();
    // A request that hangs must not keep all others from being sent.
    const limit = new AbortController();
    using _timer = clock.timer(retryEveryMs * 2, () => limit.abort(new Error('no answer in time')));
    try {
      await Promise.race([this.#write(node, kept, limit.signal), rejected(limit.signal)]);
      // A process that stood still may get here before the timer that should have told it.
      if (kept.held && this.#age(kept) >= this.#fenceAfter) this.#lapsed(node, kept);
      kept.renewedAt = sentAt;
      kept.dueAt = sentAt + renewEveryMs;
      this.#watchAge();
      if (kept.held || !this.#nodes.has(node)) return;
      kept.held = true;
      onHeld(node);
    } catch (error) {
      log.debug({ node, err: error }, 'the lease of a node could not be renewed; trying again');
      kept.dueAt = clock.monotonic() + retryEveryMs;
    }
  }

  async #write(node: string, kept: Kept, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    const where = { namespace: LEASE_NAMESPACE, signal };
    const renewTime = microTimestamp(clock.now());
    if (kept.renewedAt !== undefined) {
      const body = { spec: { renewTime } };
      try {
        await client.patch(LEASES, node, { type: 'merge', body }, where);
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    const spec = { holderIdentity: node, leaseDurationSeconds: DURATION_SECONDS, renewTime };
    const metadata = { name: node, namespace: LEASE_NAMESPACE };
    const owned = kept.owner === undefined ? {} : { ownerReferences: [kept.owner] };
    try {
      await client.create(LEASES, { metadata: { ...metadata, ...owned }, spec }, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const present = await client.get(LEASES, node, where);
      kept.foundLapsed = this.#hasLapsed(present);
      await client.patch(LEASES, node, { type: 'merge', body: { metadata: owned, spec } }, where);
    }
  }

  #hasLapsed({ spec }: Lease): boolean {
    const renewed = Date.parse(spec?.renewTime ?? '');
    return !(this.#options.clock.now() - renewed < this.#fenceAfter);
  }

  /** Sets the one timer to when the first lease lapses if it is not renewed. */
  #watchAge(): void {
    if (this.#fence !== undefined || this.#signal?.aborted === true) return;
    let oldest = Number.POSITIVE_INFINITY;
    for (const { held, renewedAt } of this.#nodes.values()) {
      if (held && renewedAt !== undefined) oldest = Math.min(oldest, renewedAt);
    }
    const { clock } = this.#options;
    const inMs = oldest === Number.POSITIVE_INFINITY ? this.#fenceAfter : oldest + this.#fenceAfter - clock.monotonic();
    // At least a moment: fractions may say at once that it is time and that it is not.
    this.#fence = clock.timer(Math.max(1, inMs), () => {
      this.#fence = undefined;
      this.#lapse();
    });
  }

  #lapse(): void {
    let held = 0;
    for (const [node, kept] of this.#nodes) {
      if (!kept.held) continue;
      if (this.#age(kept) < this.#fenceAfter) held++;
      else this.#lapsed(node, kept);
    }
    if (held > 0) this.#watchAge();
  }

  #lapsed(node: string, kept: Kept): void {
    const { log, onLapsed } = this.#options;
    kept.held = false;
    log.warn({ node }, 'the lease of a node was not renewed in time; ending its machines');
    onLapsed(node);
  }
}

/** Settles only by the signal. */
function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
