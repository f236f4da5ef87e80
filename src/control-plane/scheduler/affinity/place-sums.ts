import type { Snapshot } from '../snapshot/snapshot.ts';
import type { TopologyColumn } from '../snapshot/topology.ts';

/** Sums amounts over the nodes that share a value of one label. */
export class PlaceSums {
  readonly values: Int32Array;
  readonly sums: Float64Array;

  constructor({ values, size }: TopologyColumn) {
    this.values = values;
    this.sums = new Float64Array(size);
  }

  /** Reports whether the node has the label. */
  has(slot: number): boolean {
    return (this.values[slot] ?? -1) >= 0;
  }

  /** Returns the sum for the label value of a node, 0 if the node lacks the label. */
  at(slot: number): number {
    const place = this.values[slot] ?? -1;
    return place < 0 ? 0 : (this.sums[place] ?? 0);
  }

  /** Adds an amount and reports whether the node has the label, and so was counted. */
  add(slot: number, amount: number): boolean {
    const place = this.values[slot] ?? -1;
    if (place < 0) return false;
    this.sums[place] = (this.sums[place] ?? 0) + amount;
    return true;
  }
}

/** Holds the sums of several labels. */
export class PlaceSumsByKey {
  readonly byKey = new Map<string, PlaceSums>();
  readonly #nodes: Snapshot;

  constructor(nodes: Snapshot) {
    this.#nodes = nodes;
  }

  of(key: string): PlaceSums {
    let sums = this.byKey.get(key);
    if (sums === undefined) {
      sums = new PlaceSums(this.#nodes.topology.of(key));
      this.byKey.set(key, sums);
    }
    return sums;
  }
}
