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
  /** Maximum age of the last successful renewal before the machines of a node must not run. */
  readonly fenceAfterMs?: number;
  /** Number of Leases renewed concurrently. */
  readonly concurrency?: number;
  /** Called when a Lease has been renewed for the first time, or again after it was in doubt, lapsed or lost. */
  readonly onHeld: (node: string) => void;
  /** Called when the process was suspended for so long that the node may be lost. Its machines must pause too. */
  readonly onDoubt: (node: string) => void;
  /** Called when the node cannot find out whether it was declared lost. Its machines must end. */
  readonly onLapsed: (node: string) => void;
  /**
   * Called when the node was declared lost and its machines must end. It is called again, and the Lease not taken back,
   * until it resolves to true: they have ended, and that is reported.
   */
  readonly onLost: (node: string) => Promise<boolean>;
}

interface HeldLease {
  readonly owner: KubeOwnerReference | undefined;
  version: string | undefined;
  /** Time before the last successful renewal was sent. */
  renewed: Moment | undefined;
  /** Monotonic time of the next renewal. */
  dueAt: number;
  state: 'new' | 'held' | 'doubted' | 'lapsed' | 'lost';
  /** Nothing is left of a node that was declared lost. */
  settled: boolean;
  everLost: boolean;
  paused: boolean;
}

const RENEW_EVERY = 20_000;
const RETRY_EVERY = 2_000;
/** Maximum age of a node's last heartbeat before it ends its machines. */
export const FENCE_AFTER = 30_000;
const CONCURRENCY = 32;

/**
 * Renews the Leases of a fleet in one batch and by one timer, and fences by the time a renewal was sent, so that no
 * node is declared lost before it fences itself. A process that was suspended renews first, and gives up nothing that
 * is not lost.
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

  /** Pauses or resumes the renewal. A paused Lease lapses in due time. */
  pause(node: string, paused: boolean): void {
    const kept = this.#nodes.get(node);
    if (kept === undefined || kept.paused === paused) return;
    kept.paused = paused;
    if (!paused) kept.dueAt = this.#options.clock.monotonic();
    this.#arm();
  }

  /** Reports whether nothing can have declared the node lost. */
  held(node: string): boolean {
    const kept = this.#nodes.get(node);
    return kept?.state === 'held' && this.#belief(kept) === 'certain';
  }

  /** Reports whether a pending renewal will show if the node was declared lost. Nothing is done for it meanwhile. */
  inDoubt(node: string): boolean {
    const kept = this.#nodes.get(node);
    if (kept === undefined || (kept.state !== 'held' && kept.state !== 'doubted')) return false;
    return this.#belief(kept) === 'doubtful';
  }

  /** Reports whether the node was never declared lost since machines began to run there. Undefined while unknown. */
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

  /** Sets the only timer to the first renewal that is due. */
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
    // A suspension of the process must be noticed before anything else is done.
    this.#judge();
    const now = clock.monotonic();
    const due = [...this.#nodes].filter(([, { dueAt, paused }]) => !paused && dueAt <= now);
    for (let at = 0; at < due.length; at += concurrency) {
      const sent = momentOf(clock, this.#awake, true);
      await Promise.all(due.slice(at, at + concurrency).map(([node, kept]) => this.#renew(node, kept, sent)));
      // Nothing else would yield to a server in the same process.
      await clock.sleep(0, this.#signal).catch(() => {});
    }
    this.#renewing = false;
    this.#arm();
  }

  async #renew(node: string, kept: HeldLease, sent: Moment): Promise<void> {
    const { clock, log, retryEveryMs = RETRY_EVERY } = this.#options;
    if (this.#nodes.get(node) !== kept || kept.paused) return;
    // A request that hangs must not block all others.
    const limit = new AbortController();
    using _timer = clock.timer(retryEveryMs * 2, () => limit.abort(new Error('request timed out')));
    kept.dueAt = sent.monotonic + retryEveryMs;
    try {
      const result = await Promise.race([this.#write(node, kept, limit.signal), rejectOnAbort(limit.signal)]);
      if (this.#nodes.get(node) !== kept) return;
      if (result.is === 'renewed') this.#renewed(node, kept, result.version, sent);
      else this.#lost(node, kept, result.is);
    } catch (error) {
      log.debug({ node, err: error }, 'failed to renew the lease of a node; retrying');
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
    // A node that never had a Lease has nothing to end.
    const isNews = kept.state !== 'lost' && (kept.state !== 'new' || how === 'lost');
    if (isNews) log.warn({ node }, 'the node was declared lost; stopping its machines');
    Object.assign(kept, { state: 'lost', everLost: true, version: undefined, renewed: undefined });
    const settled = (done: boolean) => {
      kept.settled = done;
      if (done) kept.dueAt = clock.monotonic();
      this.#arm();
    };
    onLost(node).then(settled, (error: unknown) => {
      log.warn({ node, err: error }, 'failed to stop the machines of a node that was declared lost; retrying');
    });
  }

  /** Ensures that an outdated renewal is noticed in time, and a suspension of the process soon. */
  #watchAge(): void {
    if (this.#tick !== undefined || this.#signal?.aborted === true) return;
    const { clock } = this.#options;
    let oldest = Number.POSITIVE_INFINITY;
    for (const { state, renewed } of this.#nodes.values()) {
      if (isLive(state) && renewed !== undefined) oldest = Math.min(oldest, renewed.monotonic);
    }
    if (oldest === Number.POSITIVE_INFINITY) return;
    const left = oldest + this.#fenceAfter - clock.monotonic();
    // Waits at least 1 ms, since rounding may report a timer as both due and not due.
    this.#tick = clock.timer(left > 0 ? Math.max(1, Math.min(left, TICK_MS)) : TICK_MS, () => {
      this.#tick = undefined;
      this.#judge();
      this.#watchAge();
    });
  }

  /** Acts on the state of each Lease. */
  #judge(): void {
    const { clock, log, onDoubt, onLapsed, renewEveryMs = RENEW_EVERY } = this.#options;
    const now = momentOf(clock, this.#awake, true);
    for (const [node, kept] of this.#nodes) {
      if (!isLive(kept.state) || kept.renewed === undefined) continue;
      const believed = belief(kept.renewed, now, this.#fenceAfter);
      if (believed === 'lapsed') {
        kept.state = 'lapsed';
        log.warn({ node }, 'the lease of a node was not renewed in time; stopping its machines');
        onLapsed(node);
      } else if (believed === 'doubtful' && kept.state === 'held') {
        kept.state = 'doubted';
        kept.dueAt = now.monotonic;
        log.warn({ node }, 'the process was suspended for longer than the lease of a node; renewing it first');
        onDoubt(node);
      } else if (hasSlept(kept.renewed, now, renewEveryMs)) {
        kept.dueAt = Math.min(kept.dueAt, now.monotonic);
      }
    }
    this.#arm();
  }
}

const isLive = (state: HeldLease['state']) => state === 'held' || state === 'doubted';

/** Never resolves, and rejects when the signal aborts. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
