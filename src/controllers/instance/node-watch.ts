import { SCHEDULABLE_LABEL } from '../../api/launcher.ts';
import type { Timer } from '../../base/clock.ts';
import type { Client } from '../../kube/client.ts';
import { LEASES, NODES } from '../../kube/kinds/node.ts';
import { ifFound, isNotFound } from '../../kube/kube-error.ts';
import { type Context, type Watched, watched } from '../../runtime/controller.ts';
import { NodeSigns } from './node-signs.ts';
import { isPlayed } from './stand-in-agent.ts';

const LEASE_NAMESPACE = 'kube-node-lease';

/**
 * Notices nodes that fall silent and wakes the instances there. One timer serves all nodes: it is due when the first of
 * them could be silent for too long.
 */
export class NodeWatch {
  readonly #limit: number;
  readonly #instancesOn: (node: string, context: Context) => Iterable<string>;
  readonly #signs = new NodeSigns();
  #timer: Timer | undefined;
  #signal: AbortSignal | undefined;

  constructor(limitMs: number, instancesOn: (node: string, context: Context) => Iterable<string>) {
    this.#limit = limitMs;
    this.#instancesOn = instancesOn;
  }

  get watches(): readonly Watched[] {
    const lease = watched(
      LEASES,
      (seen, context, { type, object }) => {
        // Told of both sides of a change, of which only the newer counts.
        if (type === 'deleted' || seen !== object) return [];
        this.#signs.sawLease(seen, context.clock.monotonic());
        this.#arm(context);
        void this.#open(seen.metadata.name ?? '', context);
        return [];
      },
      { namespace: LEASE_NAMESPACE },
    );
    const node = watched(NODES, (seen, context, { type, object }) => {
      if (seen !== object) return [];
      const now = context.clock.monotonic();
      if (type === 'deleted') this.#signs.nodeGone(seen, now);
      else this.#signs.sawNode(seen, now);
      this.#arm(context);
      const { name = '' } = seen.metadata;
      return this.#signs.silence(name, now) >= this.#limit ? this.#instancesOn(name, context) : [];
    });
    return [lease, node];
  }

  /**
   * Whether a node is lost. Before it is said to be, the server is asked for its lease: a watch that has come to a
   * standstill must not make a node seem silent that is not.
   */
  async isLost(name: string, context: Context): Promise<boolean> {
    const { client, clock } = context;
    if (this.#signs.silence(name, clock.monotonic()) < this.#limit) return false;
    const renewed = await renewTime(client, name);
    if (renewed !== undefined && renewed !== this.#signs.lastRenewal(name)) {
      this.#signs.sawLease({ ...LEASE, metadata: { name }, spec: { renewTime: renewed } }, clock.monotonic());
      this.#arm(context);
    }
    return this.#signs.silence(name, clock.monotonic()) >= this.#limit;
  }

  /** Keeps new pods off a node that is lost: it looks empty, and is the first that a scheduler would choose. */
  async close(name: string, { client, cache }: Context): Promise<void> {
    if (cache(NODES).get(name)?.metadata.labels?.[SCHEDULABLE_LABEL] !== 'true') return;
    const body = { metadata: { labels: { [SCHEDULABLE_LABEL]: 'false' } } };
    await client.patch(NODES, name, { type: 'merge', body }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /** A node that KWOK plays has no agent that would take it into use again when it is back. */
  async #open(name: string, { client, cache, clock, log }: Context): Promise<void> {
    const node = cache(NODES).get(name);
    if (node?.metadata.labels?.[SCHEDULABLE_LABEL] !== 'false' || !isPlayed(node)) return;
    if (this.#signs.silence(name, clock.monotonic()) >= this.#limit) return;
    const body = { metadata: { labels: { [SCHEDULABLE_LABEL]: 'true' } } };
    await client.patch(NODES, name, { type: 'merge', body }).catch((error: unknown) => {
      // The next renewal is a few seconds away.
      log.debug({ node: name, err: error }, 'a node that is back could not be taken into use');
    });
  }

  #arm(context: Context): void {
    const { clock, signal } = context;
    if (this.#timer !== undefined || this.#limit === Number.POSITIVE_INFINITY || signal.aborted) return;
    const nextIn = this.#signs.nextIn(this.#limit, clock.monotonic());
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
    for (const name of this.#signs.newlySilent(this.#limit, context.clock.monotonic())) {
      const keys = [...this.#instancesOn(name, context)];
      for (const key of keys) context.enqueue(key);
      if (keys.length === 0 && context.cache(NODES).get(name) === undefined) this.#signs.forget(name);
    }
  }
}

const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };

async function renewTime(client: Client, name: string): Promise<string | undefined> {
  const lease = await ifFound(client.get(LEASES, name, { namespace: LEASE_NAMESPACE }));
  return lease === undefined ? undefined : (lease.spec?.renewTime ?? '');
}
