import type { PodInfo } from '../pod/pod-info.ts';
import { growColumn } from './node-columns.ts';

/** Selects pods to count. Equal keys must select the same pods. */
export interface PodMatch {
  readonly key: string;
  /** Namespaces of the pods, undefined for all. */
  readonly namespaces: ReadonlySet<string> | undefined;
  matches(pod: PodInfo): boolean;
}

interface Count {
  readonly match: PodMatch;
  bySlot: Int32Array;
}

/** Pods on nodes, indexed by namespace. */
export interface PlacedPods {
  placed(namespaces: ReadonlySet<string> | undefined): Iterable<{ readonly info: PodInfo; readonly slot: number }>;
  readonly slots: number;
}

/** Maximum number of counts that are kept up to date. The least recently used one is dropped first. */
const MAX_COUNTS = 128;

/**
 * Counts matching pods on each node. A count is computed once over all pods and then kept up to date, because the pods
 * of one owner all need the same.
 */
export class PodCounts {
  readonly #pods: PlacedPods;
  readonly #counts = new Map<string, Count>();

  constructor(pods: PlacedPods) {
    this.#pods = pods;
  }

  /** Returns the counts by slot. */
  of(match: PodMatch): Int32Array {
    let count = this.#counts.get(match.key);
    if (count === undefined) {
      count = { match, bySlot: new Int32Array(Math.max(64, this.#pods.slots)) };
      for (const { info, slot } of this.#pods.placed(match.namespaces)) if (match.matches(info)) tally(count, slot, 1);
      if (this.#counts.size >= MAX_COUNTS)
        for (const oldest of this.#counts.keys()) if (this.#counts.delete(oldest)) break;
    } else {
      this.#counts.delete(match.key);
      if (count.bySlot.length < this.#pods.slots) count.bySlot = growColumn(count.bySlot, 2 * this.#pods.slots);
    }
    this.#counts.set(match.key, count);
    return count.bySlot;
  }

  podMoved(slot: number, pod: PodInfo, by: 1 | -1): void {
    for (const count of this.#counts.values()) {
      const { namespaces } = count.match;
      if (namespaces !== undefined && !namespaces.has(pod.namespace)) continue;
      if (count.match.matches(pod)) tally(count, slot, by);
    }
  }
}

function tally(count: Count, slot: number, by: number): void {
  if (slot >= count.bySlot.length) count.bySlot = growColumn(count.bySlot, Math.max(slot + 1, 2 * count.bySlot.length));
  count.bySlot[slot] = (count.bySlot[slot] ?? 0) + by;
}
