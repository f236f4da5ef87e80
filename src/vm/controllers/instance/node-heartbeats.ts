import { conditionOf } from '#platform/kube/kinds/condition';
import type { Lease, Node } from '#platform/kube/kinds/node';

interface Heartbeat {
  /** Of the lease as it was last seen; undefined where the node never had one. */
  renewTime?: string;
  /** When the last sign of life was seen; Infinity for a node without a lease that seems well. */
  at: number;
  /** Whether it was told that the node is silent. */
  reported?: boolean;
}

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/**
 * When each node last gave a sign of life. What counts is when it was seen here, by a clock that never goes back: the
 * agent of a silent node counts from before it sent its last sign, and so has ended its machines by the time that it is
 * given up here. A node whose lease was never seen is judged by its Node.
 */
export class NodeHeartbeats {
  readonly #heartbeats = new Map<string, Heartbeat>();
  /** Somebody vouches that nothing runs on these any more. */
  readonly #outOfService = new Set<string>();

  /** A lease bears the name of its node. */
  sawLease({ metadata, spec }: Lease, now: number): void {
    const { renewTime = '' } = spec ?? {};
    // One that was never renewed was made by whoever declared the node lost.
    if (renewTime === '') {
      this.sawNoLease(metadata.name ?? '', now);
      return;
    }
    const sign = this.#heartbeats.get(metadata.name ?? '');
    if (sign?.renewTime === renewTime) return;
    this.#heartbeats.set(metadata.name ?? '', { renewTime, at: now });
  }

  /** There is no lease: what it said is worth nothing, and the node begins to be silent when that is first found. */
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

  /** For how long a node has given no sign of life; a node that was never heard of begins to be silent now. */
  silence(name: string, now: number): number {
    if (this.#outOfService.has(name)) return Number.POSITIVE_INFINITY;
    const sign = this.#heartbeats.get(name);
    if (sign === undefined) this.#heartbeats.set(name, { at: now });
    return sign === undefined ? 0 : Math.max(0, now - sign.at);
  }

  /** The renewal that a lease showed when it was last seen; undefined where there never was one. */
  lastRenewal(name: string): string | undefined {
    return this.#heartbeats.get(name)?.renewTime;
  }

  /** Nodes that have been silent for this long, and it was not told before. */
  newlySilent(limit: number, now: number): string[] {
    const names: string[] = [];
    for (const [name, sign] of this.#heartbeats) {
      if (sign.reported === true || sign.at + limit > now) continue;
      sign.reported = true;
      names.push(name);
    }
    return names;
  }

  /** All nodes that have been silent for this long. */
  silent(limit: number, now: number): string[] {
    return [...this.#heartbeats.keys()].filter((name) => this.silence(name, now) >= limit);
  }

  /** How long it is until another node may have been silent for this long. */
  nextIn(limit: number, now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { at, reported } of this.#heartbeats.values())
      if (reported !== true) next = Math.min(next, at + limit - now);
    return Math.max(0, next);
  }

  /** Nothing is left of the node that anybody could ask about. */
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
