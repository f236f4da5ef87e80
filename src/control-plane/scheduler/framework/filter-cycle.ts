import type { PodInfo } from '../pod/pod-info.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Filter, FilterStatus, PreFilterState } from './filter.ts';
import type { FilterName } from './plugin-name.ts';

/** Pods that are nominated to a node on which preemption is freeing space. */
export interface PodNominator {
  at(slot: number): Iterable<PodInfo>;
  readonly size: number;
}

/** Runs all filters of a profile for one pod. */
export class FilterCycle {
  readonly refusal: FilterStatus | undefined;
  /** Names of the only nodes that can be feasible, undefined for any. */
  readonly only: ReadonlySet<string> | undefined;
  /** Filters that limited the nodes. */
  readonly limiting: readonly FilterName[];
  readonly #pod: PodInfo;
  readonly #nodes: Snapshot;
  readonly #checks: PreFilterState[] = [];
  readonly #nominated: PodNominator;

  constructor(filters: readonly Filter[], pod: PodInfo, cluster: ClusterView, nominated: PodNominator) {
    this.#pod = pod;
    this.#nodes = cluster.nodes;
    this.#nominated = nominated;
    let only: ReadonlySet<string> | undefined;
    const limiting: FilterName[] = [];
    for (const filter of filters) {
      const prepared = filter.prepare(pod, cluster);
      if (prepared === undefined) continue;
      if ('refusal' in prepared) {
        this.refusal = prepared.refusal;
        break;
      }
      if (prepared.only !== undefined) {
        only = only === undefined ? prepared.only : only.intersection(prepared.only);
        limiting.push(filter.name);
      }
      this.#checks.push(prepared);
    }
    this.only = only;
    this.limiting = limiting;
  }

  /**
   * Returns the reason why a node is not feasible, also once the pods nominated to it arrive. Undefined if it is
   * feasible.
   */
  check(slot: number): FilterStatus | undefined {
    if (this.#nominated.size > 0) {
      const coming: PodInfo[] = [];
      for (const other of this.#nominated.at(slot)) {
        if (other.priority >= this.#pod.priority && other.uid !== this.#pod.uid) coming.push(other);
      }
      if (coming.length > 0) {
        for (const other of coming) this.suppose(slot, other, 1);
        const refusal = this.#alone(slot);
        for (const other of coming) this.suppose(slot, other, -1);
        if (refusal !== undefined) return refusal;
      }
    }
    return this.#alone(slot);
  }

  /** Assumes another pod on a node or off it, until the opposite is assumed. */
  suppose(slot: number, other: PodInfo, by: 1 | -1): void {
    this.#nodes.suppose(other, slot, by);
    for (const checks of this.#checks) checks.supposed?.(slot, other, by);
  }

  #alone(slot: number): FilterStatus | undefined {
    const checks = this.#checks;
    for (let i = 0; i < checks.length; i++) {
      const refusal = (checks[i] as PreFilterState).check(slot);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }
}
