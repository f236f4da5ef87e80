import type { Clock, Timer } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import { microTimestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import type { KubeOwnerReference } from '#platform/kube/kube-object';
import { AwakeTime, TICK_MS } from '#platform/runtime/awake-time';
import type { Runnable } from '#platform/runtime/runnable';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import { type Belief, belief, hasSlept, type Moment, momentOf } from './lease-age.ts';
import { type RenewalResult, renewLease } from './lease-renewal.ts';

export interface LeaseOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly renewEveryMs?: number;
  readonly retryEveryMs?: number;
  /** How old the last successful renewal may be before the machines of a node must not run. */
  readonly fenceAfterMs?: number;
  /** Leases renewed at once. */
  readonly concurrency?: number;
  /** The lease of a node has been renewed for the first time, or again after it was in doubt, lapsed or lost. */
  readonly onHeld: (node: string) => void;
  /** The process stood still for so long that the node may have been declared lost: its machines must stand still too. */
  readonly onDoubt: (node: string) => void;
  /** The node cannot find out whether it was declared lost: its machines must end. */
  readonly onLapsed: (node: string) => void;
  /**
   * The node was declared lost: its machines must end. Resolves with whether they have, and all who take them to run have
   * been told; until it has been true, it is asked again, and the lease is not taken back.
   */
  readonly onLost: (node: string) => Promise<boolean>;
}

interface HeldLease {
  readonly owner: KubeOwnerReference | undefined;
  version: string | undefined;
  /** Before the last renewal that went well was sent. */
  renewed: Moment | undefined;
  /** Monotonic time from which on it is to be renewed. */
  dueAt: number;
  state: 'new' | 'held' | 'doubted' | 'lapsed' | 'lost';
  /** Whether nothing is left of a node that was declared lost. */
  settled: boolean;
  everLost: boolean;
  paused: boolean;
}

const RENEW_EVERY = 20_000;
const RETRY_EVERY = 2_000;
/** How old the last sign of life of a node may be before it ends its machines. */
export const FENCE_AFTER = 30_000;
const CONCURRENCY = 32;

/**
 * Renews the leases of all nodes of a fleet, in one batch and by one timer, and knows which of them still hold. What
 * counts is when a renewal was sent: a server that has not seen one for longer than that cannot have given the node up
 * before the node gives itself up. A process that stood still renews first, and gives up nothing that nobody has taken.
 */
export class Leases implements Runnable {
  readonly name = 'node leases';
  readonly #options: LeaseOptions;
  readonly #nodes = new Map<string, HeldLease>();
  readonly #awake: AwakeTime;
  #signal: AbortSignal | undefined;
  #renewal: Timer | undefined;
  #renewing = false;
  #tick: Timer | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#awake = new AwakeTime(options.clock);
  }

  add(node: string, owner?: KubeOwnerReference): void {
    if (this.#nodes.has(node)) return;
    const fresh = { version: undefined, renewed: undefined, settled: false, everLost: false, paused: false };
    this.#nodes.set(node, { owner, dueAt: this.#options.clock.monotonic(), state: 'new', ...fresh });
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

  /** Whether nobody can have declared the node lost. */
  held(node: string): boolean {
    const kept = this.#nodes.get(node);
    return kept?.state === 'held' && this.#belief(kept) === 'certain';
  }

  /** Whether it is about to be found out if somebody has: nothing is done for the node meanwhile. */
  inDoubt(node: string): boolean {
    const kept = this.#nodes.get(node);
    if (kept === undefined || (kept.state !== 'held' && kept.state !== 'doubted')) return false;
    return this.#belief(kept) === 'doubtful';
  }

  /** Whether nobody declared the node lost since machines began to run there; undefined while it is not known. */
  neverLost(node: string): boolean | undefined {
    const kept = this.#nodes.get(node);
    return kept === undefined || kept.state === 'new' ? undefined : !kept.everLost;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    this.#arm();
    await waitForAbort(signal);
    this.#renewal?.cancel();
    this.#tick?.cancel();
  }

  get #fenceAfter(): number {
    return this.#options.fenceAfterMs ?? FENCE_AFTER;
  }

  #belief({ renewed }: HeldLease): Belief {
    if (renewed === undefined) return 'lapsed';
    return belief(renewed, momentOf(this.#options.clock, this.#awake, false), this.#fenceAfter);
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
    // Whoever stood still finds that out before it does anything.
    this.#judge();
    const now = clock.monotonic();
    const due = [...this.#nodes].filter(([, { dueAt, paused }]) => !paused && dueAt <= now);
    for (let at = 0; at < due.length; at += concurrency) {
      const sent = momentOf(clock, this.#awake, true);
      await Promise.all(due.slice(at, at + concurrency).map(([node, kept]) => this.#renew(node, kept, sent)));
      // With a server in the same process nothing else would give way.
      await clock.sleep(0, this.#signal).catch(() => {});
    }
    this.#renewing = false;
    this.#arm();
  }

  async #renew(node: string, kept: HeldLease, sent: Moment): Promise<void> {
    const { clock, log, retryEveryMs = RETRY_EVERY } = this.#options;
    if (this.#nodes.get(node) !== kept || kept.paused) return;
    // A request that hangs must not keep all others from being sent.
    const limit = new AbortController();
    using _timer = clock.timer(retryEveryMs * 2, () => limit.abort(new Error('no answer in time')));
    kept.dueAt = sent.monotonic + retryEveryMs;
    try {
      const result = await Promise.race([this.#write(node, kept, limit.signal), rejectOnAbort(limit.signal)]);
      if (this.#nodes.get(node) !== kept) return;
      if (result.is === 'renewed') this.#renewed(node, kept, result.version, sent);
      else this.#lost(node, kept, result.is);
    } catch (error) {
      log.debug({ node, err: error }, 'the lease of a node could not be renewed; trying again');
      kept.dueAt = clock.monotonic() + retryEveryMs;
    }
  }

  async #write(node: string, kept: HeldLease, signal: AbortSignal): Promise<RenewalResult> {
    const { client, clock } = this.#options;
    const { owner, version, settled } = kept;
    const renewTime = microTimestamp(clock.now());
    const mayBeLost = () => !this.held(node);
    return await renewLease(client, { node, owner, version, settled, renewTime, mayBeLost, signal });
  }

  #renewed(node: string, kept: HeldLease, version: string, sent: Moment): void {
    const { renewEveryMs = RENEW_EVERY, onHeld } = this.#options;
    const before = kept.state;
    Object.assign(kept, { version, renewed: sent, state: 'held', settled: false });
    kept.dueAt = sent.monotonic + renewEveryMs;
    this.#watchAge();
    if (before !== 'held') onHeld(node);
  }

  #lost(node: string, kept: HeldLease, how: 'lost' | 'absent'): void {
    const { clock, log, onLost } = this.#options;
    // A node that never had a lease has nothing to end.
    const isNews = kept.state !== 'lost' && (kept.state !== 'new' || how === 'lost');
    if (isNews) log.warn({ node }, 'the node was declared lost; ending its machines');
    Object.assign(kept, { state: 'lost', everLost: true, version: undefined, renewed: undefined });
    const settled = (done: boolean) => {
      kept.settled = done;
      if (done) kept.dueAt = clock.monotonic();
      this.#arm();
    };
    onLost(node).then(settled, (error: unknown) => {
      log.warn({ node, err: error }, 'the machines of a node that was declared lost could not be ended; trying again');
    });
  }

  /** Sees to it that a lease whose renewal is too old is noticed in time, and a process that stood still soon. */
  #watchAge(): void {
    if (this.#tick !== undefined || this.#signal?.aborted === true) return;
    const { clock } = this.#options;
    let oldest = Number.POSITIVE_INFINITY;
    for (const { state, renewed } of this.#nodes.values()) {
      if (isLive(state) && renewed !== undefined) oldest = Math.min(oldest, renewed.monotonic);
    }
    if (oldest === Number.POSITIVE_INFINITY) return;
    const left = oldest + this.#fenceAfter - clock.monotonic();
    // At least a moment: fractions may say at once that it is time and that it is not.
    this.#tick = clock.timer(left > 0 ? Math.max(1, Math.min(left, TICK_MS)) : TICK_MS, () => {
      this.#tick = undefined;
      this.#judge();
      this.#watchAge();
    });
  }

  /** Draws the consequences of what each node may still believe. */
  #judge(): void {
    const { clock, log, onDoubt, onLapsed, renewEveryMs = RENEW_EVERY } = this.#options;
    const now = momentOf(clock, this.#awake, true);
    for (const [node, kept] of this.#nodes) {
      if (!isLive(kept.state) || kept.renewed === undefined) continue;
      const believed = belief(kept.renewed, now, this.#fenceAfter);
      if (believed === 'lapsed') {
        kept.state = 'lapsed';
        log.warn({ node }, 'the lease of a node was not renewed in time; ending its machines');
        onLapsed(node);
      } else if (believed === 'doubtful' && kept.state === 'held') {
        kept.state = 'doubted';
        kept.dueAt = now.monotonic;
        log.warn({ node }, 'the process stood still for longer than the lease of a node; renewing it first');
        onDoubt(node);
      } else if (hasSlept(kept.renewed, now, renewEveryMs)) {
        kept.dueAt = Math.min(kept.dueAt, now.monotonic);
      }
    }
    this.#arm();
  }
}

const isLive = (state: HeldLease['state']) => state === 'held' || state === 'doubted';

/** Settles only by the signal. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
