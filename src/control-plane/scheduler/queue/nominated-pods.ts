import type { PodNominator } from '../framework/filter-cycle.ts';
import type { PodInfo } from '../pod/pod-info.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

const NONE: readonly PodInfo[] = [];

/**
 * Pods nominated to a node that is being freed for them. Other pods of no higher priority must not take it meanwhile.
 */
export class NominatedPods implements PodNominator {
  readonly #nodes: Snapshot;
  readonly #nodeOf = new Map<string, string>();
  readonly #byNode = new Map<string, Map<string, PodInfo>>();

  constructor(nodes: Snapshot) {
    this.#nodes = nodes;
  }

  get size(): number {
    return this.#nodeOf.size;
  }

  at(slot: number): Iterable<PodInfo> {
    return this.#byNode.get(this.#nodes.nameAt(slot))?.values() ?? NONE;
  }

  nodeOf(uid: string): string | undefined {
    return this.#nodeOf.get(uid);
  }

  /** Nominates a pod to a node. An empty name clears the nomination. */
  set(info: PodInfo, nodeName: string): void {
    this.remove(info.uid);
    if (nodeName === '') return;
    this.#nodeOf.set(info.uid, nodeName);
    const pods = this.#byNode.get(nodeName);
    if (pods === undefined) this.#byNode.set(nodeName, new Map([[info.uid, info]]));
    else pods.set(info.uid, info);
  }

  remove(uid: string): void {
    const nodeName = this.#nodeOf.get(uid);
    if (nodeName === undefined) return;
    this.#nodeOf.delete(uid);
    const pods = this.#byNode.get(nodeName);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(nodeName);
  }
}
