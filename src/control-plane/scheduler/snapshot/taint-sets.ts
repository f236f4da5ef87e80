import type { Node, Taint } from '#platform/kube/kinds/node';
import { growColumn } from './node-columns.ts';

const NONE: readonly Taint[] = [];

/** Taints of nodes. Nodes with equal taints share a number, so that a pod is compared with each set once. */
export class TaintSets {
  /** Number of the set by slot, 0 for no taints. */
  ofSlot = new Int32Array(64);
  readonly sets: (readonly Taint[])[] = [NONE];
  readonly #numbers = new Map<string, number>([['', 0]]);

  setNode(slot: number, node: Node | undefined): void {
    if (slot >= this.ofSlot.length) this.ofSlot = growColumn(this.ofSlot, Math.max(slot + 1, 2 * this.ofSlot.length));
    this.ofSlot[slot] = this.#numberOf(node?.spec?.taints ?? NONE);
  }

  #numberOf(taints: readonly Taint[]): number {
    const key = taints.map((taint) => `${taint.key}\u0000${taint.value ?? ''}\u0000${taint.effect}`).join('\u0001');
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.sets.length;
      this.sets.push(taints);
      this.#numbers.set(key, number);
    }
    return number;
  }
}
