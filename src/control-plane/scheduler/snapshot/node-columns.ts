import type { Node } from '#platform/kube/kinds/node';
import { CPU, EPHEMERAL_STORAGE, isScalar, MEMORY, resourceAmountsOf } from '../pod/amounts.ts';
import type { PodInfo } from '../pod/pod-info.ts';

/** An extended resource: the amounts that nodes have and that their pods request. */
export interface ScalarColumn {
  allocatable: Float64Array;
  requested: Float64Array;
}

const FIRST_CAPACITY = 64;

/**
 * Allocatable and requested amounts of nodes, with one array per figure that is indexed by slot. Units are millicores,
 * bytes and counts.
 */
export class NodeColumns {
  allocatableCpu = new Float64Array(FIRST_CAPACITY);
  allocatableMemory = new Float64Array(FIRST_CAPACITY);
  allocatableStorage = new Float64Array(FIRST_CAPACITY);
  allowedPods = new Float64Array(FIRST_CAPACITY);
  cpu = new Float64Array(FIRST_CAPACITY);
  memory = new Float64Array(FIRST_CAPACITY);
  storage = new Float64Array(FIRST_CAPACITY);
  /** Amounts for scoring, in which containers without requests count with a small default. */
  nonZeroCpu = new Float64Array(FIRST_CAPACITY);
  nonZeroMemory = new Float64Array(FIRST_CAPACITY);
  pods = new Int32Array(FIRST_CAPACITY);
  /** 1 if the node is cordoned. */
  cordoned = new Int32Array(FIRST_CAPACITY);
  readonly scalars = new Map<string, ScalarColumn>();
  #capacity = FIRST_CAPACITY;

  /** Grows the columns to hold a slot. */
  reach(slot: number): void {
    if (slot < this.#capacity) return;
    while (slot >= this.#capacity) this.#capacity *= 2;
    const longer = <T extends Float64Array | Int32Array>(old: T): T => growColumn(old, this.#capacity);
    this.allocatableCpu = longer(this.allocatableCpu);
    this.allocatableMemory = longer(this.allocatableMemory);
    this.allocatableStorage = longer(this.allocatableStorage);
    this.allowedPods = longer(this.allowedPods);
    this.cpu = longer(this.cpu);
    this.memory = longer(this.memory);
    this.storage = longer(this.storage);
    this.nonZeroCpu = longer(this.nonZeroCpu);
    this.nonZeroMemory = longer(this.nonZeroMemory);
    this.pods = longer(this.pods);
    this.cordoned = longer(this.cordoned);
    for (const column of this.scalars.values()) {
      column.allocatable = longer(column.allocatable);
      column.requested = longer(column.requested);
    }
  }

  /** Stores the allocatable amounts of a node. A deleted node has none. */
  setNode(slot: number, node: Node | undefined): void {
    const amounts = resourceAmountsOf(node?.status?.allocatable);
    this.allocatableCpu[slot] = amounts.get(CPU) ?? 0;
    this.allocatableMemory[slot] = amounts.get(MEMORY) ?? 0;
    this.allocatableStorage[slot] = amounts.get(EPHEMERAL_STORAGE) ?? 0;
    this.allowedPods[slot] = amounts.get('pods') ?? 0;
    this.cordoned[slot] = node?.spec?.unschedulable === true ? 1 : 0;
    for (const [name, column] of this.scalars) column.allocatable[slot] = amounts.get(name) ?? 0;
    for (const [name, amount] of amounts) {
      if (isScalar(name) && !this.scalars.has(name)) this.#scalar(name).allocatable[slot] = amount;
    }
  }

  /** Adds the amounts of a pod to a node (1) or subtracts them (-1). */
  count(slot: number, pod: PodInfo, by: 1 | -1): void {
    add(this.cpu, slot, by * pod.cpu);
    add(this.memory, slot, by * pod.memory);
    add(this.storage, slot, by * pod.ephemeralStorage);
    add(this.nonZeroCpu, slot, by * pod.nonZeroCpu);
    add(this.nonZeroMemory, slot, by * pod.nonZeroMemory);
    add(this.pods, slot, by);
    for (const [name, amount] of pod.scalars) add(this.#scalar(name).requested, slot, by * amount);
  }

  #scalar(name: string): ScalarColumn {
    let column = this.scalars.get(name);
    if (column === undefined) {
      column = { allocatable: new Float64Array(this.#capacity), requested: new Float64Array(this.#capacity) };
      this.scalars.set(name, column);
    }
    return column;
  }
}

function add(column: Float64Array | Int32Array, slot: number, amount: number): void {
  column[slot] = (column[slot] ?? 0) + amount;
}

/** Returns a longer copy of a column. */
export function growColumn<T extends Float64Array | Int32Array>(column: T, capacity: number): T {
  const longer = new (column.constructor as new (length: number) => T)(capacity);
  longer.set(column);
  return longer;
}
