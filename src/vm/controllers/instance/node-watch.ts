import { SCHEDULABLE_LABEL } from '#api/launcher';
import type { Timer } from '#platform/base/clock';
import { TemporaryError } from '#platform/base/errors';
import { LEASES, NODES } from '#platform/kube/kinds/node';
import { isNotFound } from '#platform/kube/kube-error';
import { NODE_LEASE_NAMESPACE } from '#platform/kube/node-lease';
import { AwakeTime } from '#platform/runtime/awake-time';
import { type Context, type WatchSource, watchSource } from '#platform/runtime/controller';
import { awaitsListings } from '#platform/runtime/restored-nodes';
import { isKwokManaged } from './kwok-agent.ts';
import { NodeHeartbeats } from './node-heartbeats.ts';
import { declareIfSilent } from './node-loss.ts';

/** Limits the retries for a lease that somebody else writes all the time. */
const MAX_ATTEMPTS = 3;

/**
 * Detects silent nodes and enqueues their instances, with one timer for the first node that may become silent. Only
 * time in which this process ran counts, since heartbeats missed during a pause say nothing about the nodes.
 */
export class NodeWatch {
  readonly #limit: number;
  readonly #instancesOn: (node: string, context: Context) => Iterable<string>;
  readonly #heartbeats = new NodeHeartbeats();
  /** Set while nodes have yet to list what they run after a restore. */
  #restored = false;
  #awake: AwakeTime | undefined;
  #timer: Timer | undefined;
  #signal: AbortSignal | undefined;

  constructor(limitMs: number, instancesOn: (node: string, context: Context) => Iterable<string>) {
    this.#limit = limitMs;
    this.#instancesOn = instancesOn;
  }

  get watches(): readonly WatchSource[] {
    const lease = watchSource(
      LEASES,
      (seen, context, { type, object }) => {
        // The handler is called for both sides of a change, of which only the newer counts.
        if (seen !== object) return [];
        const { name = '' } = seen.metadata;
        if (type === 'deleted') this.#heartbeats.sawNoLease(name, this.#now(context));
        else this.#heartbeats.sawLease(seen, this.#now(context));
        this.#arm(context);
        if (type !== 'deleted') void this.#open(name, context);
        return [];
      },
      { namespace: NODE_LEASE_NAMESPACE },
    );
    const node = watchSource(NODES, (seen, context, { type, object }) => {
      if (seen !== object) return [];
      const now = this.#now(context);
      if (type === 'deleted') this.#heartbeats.nodeGone(seen, now);
      else this.#heartbeats.sawNode(seen, now);
      this.#arm(context);
      const wasRestored = this.#restored;
      this.#restored = awaitsListings(context);
      if (wasRestored && !this.#restored)
        return this.#heartbeats.silent(this.#limit, now).flatMap((each) => [...this.#instancesOn(each, context)]);
      const { name = '' } = seen.metadata;
      return this.#heartbeats.silence(name, now) >= this.#limit ? this.#instancesOn(name, context) : [];
    });
    return [lease, node];
  }

  /**
   * Reports whether a node is lost, and first writes that on its lease at the version of the server. A stalled watch
   * must not make a healthy node look silent, and a node that is less silent than it seems must notice; after a restore
   * no node is lost before all have listed what they run.
   */
  async isLost(name: string, context: Context): Promise<boolean> {
    const silence = () => this.#heartbeats.silence(name, this.#now(context));
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (silence() < this.#limit || awaitsListings(context)) return false;
      const found = await declareIfSilent(name, this.#heartbeats.lastRenewal(name), context);
      if (found === 'lost') return true;
      if (found === 'changed') continue;
      if (found === 'none') this.#heartbeats.sawNoLease(name, this.#now(context));
      else this.#heartbeats.sawLease(found, this.#now(context));
      this.#arm(context);
    }
    throw new TemporaryError(`the lease of node ${name} was updated by another client`);
  }

  /** Keeps new pods off a lost node, which looks empty and would be the first choice of a scheduler. */
  async close(name: string, { client, cache }: Context): Promise<void> {
    if (cache(NODES).get(name)?.metadata.labels?.[SCHEDULABLE_LABEL] !== 'true') return;
    const body = { metadata: { labels: { [SCHEDULABLE_LABEL]: 'false' } } };
    await client.patch(NODES, name, { type: 'merge', body }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /** Makes a returned KWOK node schedulable again, since it has no node agent to do so. */
  async #open(name: string, context: Context): Promise<void> {
    const { client, cache, log } = context;
    const node = cache(NODES).get(name);
    if (node?.metadata.labels?.[SCHEDULABLE_LABEL] !== 'false' || !isKwokManaged(node)) return;
    if (this.#heartbeats.silence(name, this.#now(context)) >= this.#limit) return;
    const body = { metadata: { labels: { [SCHEDULABLE_LABEL]: 'true' } } };
    await client.patch(NODES, name, { type: 'merge', body }).catch((error: unknown) => {
      // The next renewal, and with it a retry, follows within seconds.
      log.debug({ node: name, err: error }, 'failed to mark a returned node as ready');
    });
  }

  #arm(context: Context): void {
    const { clock, signal } = context;
    if (this.#timer !== undefined || this.#limit === Number.POSITIVE_INFINITY || signal.aborted) return;
    const nextIn = this.#heartbeats.nextIn(this.#limit, this.#now(context));
    if (nextIn === Number.POSITIVE_INFINITY) return;
    this.#timer = clock.timer(nextIn, () => {
      this.#timer = undefined;
      this.#wake(context);
      this.#arm(context);
    });
    if (this.#signal === signal) return;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#timer?.cancel(), { once: true });
  }

  #wake(context: Context): void {
    for (const name of this.#heartbeats.newlySilent(this.#limit, this.#now(context))) {
      const keys = [...this.#instancesOn(name, context)];
      for (const key of keys) context.enqueue(key);
      if (keys.length === 0 && context.cache(NODES).get(name) === undefined) this.#heartbeats.forget(name);
    }
  }

  #now({ clock, signal }: Context): number {
    // If no node is ever lost, awake time need not be tracked.
    if (this.#limit === Number.POSITIVE_INFINITY) return clock.monotonic();
    this.#awake ??= new AwakeTime(clock).keep(signal);
    return this.#awake.now();
  }
}
