import { conditionOf } from '#platform/kube/kinds/condition';
import type { Lease, Node } from '#platform/kube/kinds/node';

interface Heartbeat {
  /** Renew time of the lease as last seen. Undefined if the node never had one. */
  renewTime?: string;
  /** Time at which the last heartbeat was seen. Infinity for a healthy node without a lease. */
  at: number;
  /** Set once the node was returned as newly silent. */
  reported?: boolean;
}

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/**
 * Tracks the last heartbeat of each node, by the time it was seen here on a monotonic clock. A silent node agent counts
 * from before it sent its last heartbeat, so it has stopped its machines before the node is considered lost; a node
 * without a known lease is judged by its Node.
 */
export class NodeHeartbeats {
  readonly #heartbeats = new Map<string, Heartbeat>();
  /** Nodes with the out-of-service taint, by which somebody confirms that nothing runs there. */
  readonly #outOfService = new Set<string>();

  /** Records the lease of the node with the same name. */
  sawLease({ metadata, spec }: Lease, now: number): void {
    const { renewTime = '' } = spec ?? {};
    // A lease that was never renewed was created to declare the node lost.
    if (renewTime === '') {
      this.sawNoLease(metadata.name ?? '', now);
      return;
    }
    const sign = this.#heartbeats.get(metadata.name ?? '');
    if (sign?.renewTime === renewTime) return;
    this.#heartbeats.set(metadata.name ?? '', { renewTime, at: now });
  }

  /**
   * Records that a node has no lease. Its earlier lease no longer counts, and the silence starts when this is first
   * seen.
   */
  sawNoLease(name: string, now: number): void {
    if (this.#heartbeats.get(name)?.renewTime !== undefined) this.#heartbeats.set(name, { at: now });
  }

  sawNode({ metadata, spec, status }: Node, now: number): void {
    const name = metadata.name ?? '';
    if (spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true) this.#outOfService.add(name);
    else this.#outOfService.delete(name);
    const unknown = conditionOf(status?.conditions, 'Ready')?.status === 'Unknown';
    this.#sawWithoutLease(name, !unknown, now);
  }

  nodeGone({ metadata }: Node, now: number): void {
    this.#outOfService.delete(metadata.name ?? '');
    this.#sawWithoutLease(metadata.name ?? '', false, now);
  }

  /** Returns the time since the last heartbeat of a node. The silence of an unknown node starts now. */
  silence(name: string, now: number): number {
    if (this.#outOfService.has(name)) return Number.POSITIVE_INFINITY;
    const sign = this.#heartbeats.get(name);
    if (sign === undefined) this.#heartbeats.set(name, { at: now });
    return sign === undefined ? 0 : Math.max(0, now - sign.at);
  }

  /** Returns the renew time of the lease as last seen, or undefined if there never was one. */
  lastRenewal(name: string): string | undefined {
    return this.#heartbeats.get(name)?.renewTime;
  }

  /** Returns nodes that have been silent for this long and were not returned before. */
  newlySilent(limit: number, now: number): string[] {
    const names: string[] = [];
    for (const [name, sign] of this.#heartbeats) {
      if (sign.reported === true || sign.at + limit > now) continue;
      sign.reported = true;
      names.push(name);
    }
    return names;
  }

  /** Returns all nodes that have been silent for this long. */
  silent(limit: number, now: number): string[] {
    return [...this.#heartbeats.keys()].filter((name) => this.silence(name, now) >= limit);
  }

  /** Returns the time until another node may have been silent for this long. */
  nextIn(limit: number, now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { at, reported } of this.#heartbeats.values())
      if (reported !== true) next = Math.min(next, at + limit - now);
    return Math.max(0, next);
  }

  /** Drops all state of a node that nothing refers to anymore. */
  forget(name: string): void {
    this.#heartbeats.delete(name);
    this.#outOfService.delete(name);
  }

  #sawWithoutLease(name: string, well: boolean, now: number): void {
    const sign = this.#heartbeats.get(name);
    if (sign?.renewTime !== undefined) return;
    if (well) this.#heartbeats.set(name, { at: Number.POSITIVE_INFINITY });
    else if (sign === undefined || sign.at === Number.POSITIVE_INFINITY) this.#heartbeats.set(name, { at: now });
  }
}
