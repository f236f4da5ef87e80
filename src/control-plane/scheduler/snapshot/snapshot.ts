import type { Node } from '#platform/kube/kinds/node';
import type { PodInfo } from '../pod/pod-info.ts';
import { ClaimUsers } from './claim-users.ts';
import { Images } from './images.ts';
import { NodeColumns } from './node-columns.ts';
import { type NodeOrder, NodeTree } from './node-tree.ts';
import { type PlacedPods, PodCounts } from './pod-counts.ts';
import { Priorities } from './priorities.ts';
import { TaintSets } from './taint-sets.ts';
import { TermIndex } from './term-index.ts';
import { Topology } from './topology.ts';

/** A pod and the node that it is on. */
export interface PlacedPod {
  readonly info: PodInfo;
  readonly slot: number;
}

const NO_PODS: ReadonlyMap<string, PodInfo> = new Map();

/**
 * Nodes and their pods, updated incrementally and never rebuilt. Every node has a slot, a small number that stays as
 * long as the node or one of its pods is known, and pods may be added before their node.
 */
export class Snapshot implements PlacedPods {
  readonly columns = new NodeColumns();
  readonly taints = new TaintSets();
  readonly images = new Images();
  readonly terms = new TermIndex();
  readonly claimUsers = new ClaimUsers();
  readonly priorities = new Priorities();
  readonly topology = new Topology(() => this.#nodes);
  readonly counts = new PodCounts(this);
  readonly #tree = new NodeTree();
  readonly #slots = new Map<string, number>();
  #names: string[] = [];
  #namesAreShared = false;
  readonly #nodes: (Node | undefined)[] = [];
  readonly #podsOf: (Map<string, PodInfo> | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #placed = new Map<string, PlacedPod>();
  readonly #byNamespace = new Map<string, Map<string, PlacedPod>>();

  get order(): NodeOrder {
    return this.#tree.order;
  }

  /** Number of nodes. */
  get size(): number {
    return this.#tree.size;
  }

  /** Upper bound of the slots, exclusive. */
  get slots(): number {
    return this.#nodes.length;
  }

  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  nameAt(slot: number): string {
    return this.#names[slot] ?? '';
  }

  /** Current names by slot, as a list that never changes afterwards. */
  get names(): readonly string[] {
    this.#namesAreShared = true;
    return this.#names;
  }

  nodeAt(slot: number): Node | undefined {
    return this.#nodes[slot];
  }

  /** Returns the pods on a node by uid. */
  podsAt(slot: number): ReadonlyMap<string, PodInfo> {
    return this.#podsOf[slot] ?? NO_PODS;
  }

  podOf(uid: string): PlacedPod | undefined {
    return this.#placed.get(uid);
  }

  *placed(namespaces: ReadonlySet<string> | undefined): Iterable<PlacedPod> {
    if (namespaces === undefined) yield* this.#placed.values();
    else for (const namespace of namespaces) yield* this.#byNamespace.get(namespace)?.values() ?? [];
  }

  setNode(node: Node): void {
    const slot = this.#reach(node.metadata.name ?? '');
    this.#nodes[slot] = node;
    this.#tree.set(node, slot);
    this.#tellNode(slot, node);
  }

  removeNode(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    this.#tree.remove(name);
    this.#nodes[slot] = undefined;
    this.#tellNode(slot, undefined);
    this.#release(slot);
  }

  /** Places a pod on a node, wherever it was before. */
  setPod(info: PodInfo, nodeName: string): void {
    this.removePod(info.uid);
    const slot = this.#reach(nodeName);
    const placed = { info, slot };
    this.#placed.set(info.uid, placed);
    const near = this.#byNamespace.get(info.namespace);
    if (near === undefined) this.#byNamespace.set(info.namespace, new Map([[info.uid, placed]]));
    else near.set(info.uid, placed);
    const pods = this.#podsOf[slot];
    if (pods === undefined) this.#podsOf[slot] = new Map([[info.uid, info]]);
    else pods.set(info.uid, info);
    this.#tellPod(slot, info, 1);
  }

  removePod(uid: string): void {
    const placed = this.#placed.get(uid);
    if (placed === undefined) return;
    const { info, slot } = placed;
    this.#placed.delete(uid);
    const near = this.#byNamespace.get(info.namespace);
    near?.delete(uid);
    if (near?.size === 0) this.#byNamespace.delete(info.namespace);
    this.#podsOf[slot]?.delete(uid);
    this.#tellPod(slot, info, -1);
    this.#release(slot);
  }

  /** Replaces a placed pod by a newer state in which nothing relevant changed. */
  renewPod(info: PodInfo): void {
    const placed = this.#placed.get(info.uid);
    if (placed === undefined) return;
    const renewed = { info, slot: placed.slot };
    this.#placed.set(info.uid, renewed);
    this.#byNamespace.get(info.namespace)?.set(info.uid, renewed);
    this.#podsOf[placed.slot]?.set(info.uid, info);
  }

  /** Removes (-1) or restores (1) a placed pod temporarily. The caller restores everything. */
  suppose(info: PodInfo, slot: number, by: 1 | -1): void {
    if (by === 1) (this.#podsOf[slot] ??= new Map()).set(info.uid, info);
    else this.#podsOf[slot]?.delete(info.uid);
    this.#tellPod(slot, info, by);
  }

  /** Restores the order in which the pods of a node were added, once all are back. The order breaks ties. */
  inOrder(slot: number, pods: readonly PodInfo[]): void {
    this.#podsOf[slot] = new Map(pods.map((info) => [info.uid, info]));
  }

  #tellNode(slot: number, node: Node | undefined): void {
    this.columns.setNode(slot, node);
    this.taints.setNode(slot, node);
    this.images.setNode(slot, node);
    this.topology.setNode(slot, node);
  }

  #tellPod(slot: number, info: PodInfo, by: 1 | -1): void {
    this.columns.count(slot, info, by);
    this.terms.podMoved(slot, info, by);
    this.claimUsers.podMoved(slot, info, by);
    this.priorities.podMoved(slot, info, by);
    this.counts.podMoved(slot, info, by);
  }

  #reach(name: string): number {
    let slot = this.#slots.get(name);
    if (slot !== undefined) return slot;
    slot = this.#free.pop() ?? this.#nodes.length;
    this.#slots.set(name, slot);
    if (this.#namesAreShared) this.#names = [...this.#names];
    this.#namesAreShared = false;
    this.#names[slot] = name;
    if (slot === this.#nodes.length) this.#nodes.push(undefined);
    this.columns.reach(slot);
    this.#tellNode(slot, undefined);
    return slot;
  }

  /** Frees a slot that neither a node nor a pod needs. */
  #release(slot: number): void {
    if (this.#nodes[slot] !== undefined || (this.#podsOf[slot]?.size ?? 0) > 0) return;
    this.#slots.delete(this.#names[slot] ?? '');
    this.#podsOf[slot] = undefined;
    this.#free.push(slot);
  }
}
