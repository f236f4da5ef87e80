import { conditionOf } from '../../../kube/kinds/condition.ts';
import type { Lease, Node } from '../../../kube/kinds/node.ts';

interface Seen {
  renewTime: string;
  heartbeat: string;
  at: number;
}

/**
 * When each node last gave a sign of life: a renewed lease or a new heartbeat of its readiness. What counts is when it was
 * noticed here, because clocks of nodes differ.
 */
export class NodeHealth {
  readonly #seen = new Map<string, Seen>();

  noticeNode({ metadata, status }: Node, now: number): void {
    const heartbeat = conditionOf(status?.conditions, 'Ready')?.lastHeartbeatTime ?? '';
    this.#notice(metadata.name ?? '', { heartbeat }, now);
  }

  /** A lease bears the name of its node. */
  noticeLease({ metadata, spec }: Lease, now: number): void {
    this.#notice(metadata.name ?? '', { renewTime: spec?.renewTime ?? '' }, now);
  }

  lastSeen(name: string): number | undefined {
    return this.#seen.get(name)?.at;
  }

  forget(name: string): void {
    this.#seen.delete(name);
  }

  #notice(name: string, sign: Partial<Seen>, now: number): void {
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
