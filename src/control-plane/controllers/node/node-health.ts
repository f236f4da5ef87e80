import { conditionOf } from '#platform/kube/kinds/condition';
import type { Lease, Node } from '#platform/kube/kinds/node';

interface SeenHeartbeat {
  renewTime: string;
  heartbeat: string;
  at: number;
}

/** Tracks the last heartbeat of each node. */
export interface LastHeartbeats {
  noticeNode(node: Node, now: number): void;
  noticeLease(lease: Lease, now: number): void;
  /** Returns Infinity for a node that is assumed healthy until it is reported silent. */
  lastSeen(name: string): number | undefined;
  forget(name: string): void;
}

/** Assumes that nodes without heartbeats are healthy, except those that `isSilent` names. Used with simulated time. */
export class AssumedHealth implements LastHeartbeats {
  readonly #silent = new Map<string, number>();
  readonly #isSilent: (node: Node) => boolean;

  constructor(isSilent: (node: Node) => boolean) {
    this.#isSilent = isSilent;
  }

  noticeNode(node: Node, now: number): void {
    const { name = '' } = node.metadata;
    if (!this.#isSilent(node)) this.#silent.delete(name);
    else if (!this.#silent.has(name)) this.#silent.set(name, now);
  }

  noticeLease(): void {
    // There are no leases.
  }

  lastSeen(name: string): number {
    return this.#silent.get(name) ?? Number.POSITIVE_INFINITY;
  }

  forget(name: string): void {
    this.#silent.delete(name);
  }
}

/**
 * Tracks the last heartbeat of each node: a renewed lease or a new heartbeat of its Ready condition. The time of
 * observation counts, because clocks of nodes differ.
 */
export class NodeHealth implements LastHeartbeats {
  readonly #seen = new Map<string, SeenHeartbeat>();

  noticeNode({ metadata, status }: Node, now: number): void {
    const heartbeat = conditionOf(status?.conditions, 'Ready')?.lastHeartbeatTime ?? '';
    this.#notice(metadata.name ?? '', { heartbeat }, now);
  }

  /** Records a lease, which has the name of its node. */
  noticeLease({ metadata, spec }: Lease, now: number): void {
    this.#notice(metadata.name ?? '', { renewTime: spec?.renewTime ?? '' }, now);
  }

  lastSeen(name: string): number | undefined {
    return this.#seen.get(name)?.at;
  }

  forget(name: string): void {
    this.#seen.delete(name);
  }

  #notice(name: string, sign: Partial<SeenHeartbeat>, now: number): void {
    const seen = this.#seen.get(name);
    if (seen === undefined) {
      this.#seen.set(name, { renewTime: '', heartbeat: '', at: now, ...sign });
      return;
    }
    if (sign.renewTime !== undefined && sign.renewTime !== seen.renewTime) seen.at = now;
    if (sign.heartbeat !== undefined && sign.heartbeat !== seen.heartbeat) seen.at = now;
    Object.assign(seen, sign);
  }
}
