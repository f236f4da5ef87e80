import type { Node } from '#platform/kube/kinds/node';
import { growColumn } from './node-columns.ts';

/** Values that nodes have for one label, as small numbers. */
export interface TopologyColumn {
  /** Number of the value by slot, -1 if the node lacks the label or does not exist. */
  readonly values: Int32Array;
  /** Upper bound of the numbers, exclusive. */
  readonly size: number;
}

class Column implements TopologyColumn {
  values: Int32Array;
  readonly numbers = new Map<string, number>();

  constructor(capacity: number) {
    this.values = new Int32Array(capacity).fill(-1);
  }

  get size(): number {
    return this.numbers.size;
  }

  set(slot: number, value: string | undefined): void {
    if (slot >= this.values.length) {
      const before = this.values.length;
      this.values = growColumn(this.values, Math.max(slot + 1, 2 * before)).fill(-1, before);
    }
    if (value === undefined) {
      this.values[slot] = -1;
      return;
    }
    let number = this.numbers.get(value);
    if (number === undefined) {
      number = this.numbers.size;
      this.numbers.set(value, number);
    }
    this.values[slot] = number;
  }
}

/** Values of deleted nodes are dropped when there are this many times more values than current ones. */
const STALE = 4;

/** Topology domains of nodes, for every label that was requested. */
export class Topology {
  readonly #columns = new Map<string, Column>();
  readonly #nodes: () => readonly (Node | undefined)[];

  /** Takes a function that returns the nodes by slot. */
  constructor(nodes: () => readonly (Node | undefined)[]) {
    this.#nodes = nodes;
  }

  of(key: string): TopologyColumn {
    const nodes = this.#nodes();
    let column = this.#columns.get(key);
    if (column === undefined || column.size > STALE * nodes.length + 64) {
      column = new Column(Math.max(nodes.length, 64));
      for (let slot = 0; slot < nodes.length; slot++) column.set(slot, nodes[slot]?.metadata.labels?.[key]);
      this.#columns.set(key, column);
    }
    return column;
  }

  setNode(slot: number, node: Node | undefined): void {
    for (const [key, column] of this.#columns) column.set(slot, node?.metadata.labels?.[key]);
  }
}
