import { CREATED_BY_LABEL, MIGRATION_LABEL } from '#api/launcher';
import { DEFAULT_NODE, type NodeSize } from '#api/launcher-load';
import type { Measures } from '#fleet/rebalance/measures';
import type { Clock } from '#platform/base/clock';
import { type Logger, noopLogger } from '#platform/base/logger';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Cache, Change } from '#platform/runtime/cache';
import type { Informer } from '#platform/runtime/informer';
import { keyOf } from '#platform/runtime/key';
import { sharedSize } from '#vm/usage/reference-node';
import {
  type Amounts,
  amountsOf,
  byInstance,
  isLive,
  type LauncherUsage,
  launcherUsageOf,
  ratioOf,
  unreadable,
} from './launcher-usage.ts';
import { measureLoad, NOTHING_SPENT, type NodeLoad, type NodeState, type SpentTime, spentAfter } from './node-load.ts';

/** Sum of the shares that refer to one node size. */
interface ShareSum {
  readonly reference: NodeSize | undefined;
  cpu: number;
  memory: number;
  vms: number;
}

interface Entry {
  /** Sums by the node size that they refer to. */
  readonly sums: Map<string, ShareSum>;
  vms: number;
  spent: SpentTime;
  /** Time up to which `spent` counts, on the monotonic clock. */
  at: number;
  /**
   * Computed state with the version of the node and the era that it is valid for. Undefined if it has to be computed.
   */
  known: { readonly state: NodeState; readonly node: Node; readonly era: number } | undefined;
}

export interface NodeLoadsDeps {
  readonly nodes: Informer<Node>;
  readonly pods: Informer<Pod>;
  readonly clock: Clock;
  /** Node size that fractional sizes refer to if simulated nodes differ. */
  readonly defaultNode?: NodeSize | undefined;
  readonly log?: Logger | undefined;
}

/**
 * Maintains the load of all nodes as pods and nodes change. A read costs time per node, not per pod, and makes no
 * request.
 */
export class NodeLoads {
  readonly #nodes: Cache<Node>;
  readonly #pods: Cache<Pod>;
  readonly #clock: Clock;
  readonly #usual: NodeSize;
  readonly #entries = new Map<string, Entry>();
  /** Usage that each pod was last counted with, by its key. */
  readonly #counted = new Map<string, LauncherUsage>();
  /** Keys of pods with unreadable annotations, which count as 0. */
  readonly #unread = new Set<string>();
  readonly #log: Logger;
  readonly #sizes = new WeakMap<Node, Amounts>();
  #reference: NodeSize | undefined;
  /** Counter that increases whenever fractional sizes change their meaning. */
  #era = 0;
  /** Sorted names of all nodes. Undefined after some were added or deleted. */
  #names: readonly string[] | undefined;
  readonly #stops: readonly (() => void)[];

  constructor({ nodes, pods, clock, defaultNode = DEFAULT_NODE, log = noopLogger }: NodeLoadsDeps) {
    this.#log = log;
    this.#usual = defaultNode;
    this.#nodes = nodes.cache;
    this.#pods = pods.cache;
    this.#clock = clock;
    this.#stops = [nodes.onChange((change) => this.#node(change)), pods.onChange((change) => this.#pod(change))];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  /** Node size that fractional sizes refer to if a pod does not specify one. */
  get reference(): NodeSize {
    return (this.#reference ??= sharedSize(this.#nodes.all()) ?? this.#usual);
  }

  /** Pods that are undercounted because their annotations are unreadable. */
  get unread(): ReadonlySet<string> {
    return this.#unread;
  }

  all(): NodeLoad[] {
    this.#names ??= [...this.#nodes.all()].map(({ metadata }) => metadata.name ?? '').sort(compare);
    const now = this.#clock.monotonic();
    return this.#names.flatMap((name) => {
      const node = this.#nodes.get(name);
      return node === undefined ? [] : [this.#load(name, node, now)];
    });
  }

  get(name: string): NodeLoad | undefined {
    const node = this.#nodes.get(name);
    return node === undefined ? undefined : this.#load(name, node, this.#clock.monotonic());
  }

  #load(name: string, node: Node, now: number): NodeLoad {
    const entry = this.#entry(name);
    const state = this.#state(entry, node);
    pass(entry, state, state.cpuCores, now);
    return { ...state, state, spent: entry.spent };
  }

  #state(entry: Entry, node: Node): NodeState {
    const { known } = entry;
    if (known !== undefined && known.node === node && known.era === this.#era) return known.state;
    const { cores: cpuCores, bytes: memoryBytes } = this.#sizeOf(node);
    const { name = '' } = node.metadata;
    const measures = this.#measures(entry, node);
    const state = { name, roles: rolesOf(node), cpuCores, memoryBytes, ...measures, vms: entry.vms };
    entry.known = { state, node, era: this.#era };
    return state;
  }

  #measures({ sums }: Entry, node: Node): Measures {
    const own = this.#sizeOf(node);
    let [cpu, memory] = [0, 0];
    for (const key of [...sums.keys()].sort(compare)) {
      const sum = sums.get(key) as ShareSum;
      const { cores, bytes } = amountsOf(sum.reference ?? this.reference);
      // The quotient of equal sizes is exactly 1, so that the ratios are those of the annotations.
      if (own.cores > 0) cpu += ratioOf(sum.cpu) * (cores / own.cores);
      if (own.bytes > 0) memory += ratioOf(sum.memory) * (bytes / own.bytes);
    }
    return measureLoad(cpu, memory);
  }

  /** Returns the allocatable resources of a node, parsed once for each version of it. */
  #sizeOf(node: Node): Amounts {
    let size = this.#sizes.get(node);
    if (size === undefined) {
      size = amountsOf(node.status?.allocatable ?? {});
      this.#sizes.set(node, size);
    }
    return size;
  }

  #entry(name: string): Entry {
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      entry = { sums: new Map(), vms: 0, spent: NOTHING_SPENT, at: this.#clock.monotonic(), known: undefined };
      this.#entries.set(name, entry);
    }
    return entry;
  }

  /** Adds the elapsed time with the current metrics. It is called before anything changes. */
  #advance(name: string, node: Node | undefined): Entry {
    const entry = this.#entry(name);
    const now = this.#clock.monotonic();
    if (node === undefined) entry.at = now;
    else if (now > entry.at)
      pass(entry, entry.known?.state ?? this.#measures(entry, node), this.#sizeOf(node).cores, now);
    entry.known = undefined;
    return entry;
  }

  #node({ type, object, old }: Change<Node>): void {
    const { name = '' } = object.metadata;
    const size = (node: Node | undefined) => JSON.stringify(node?.status?.allocatable ?? {});
    if (type === 'updated' && size(object) === size(old)) return;
    const entry = this.#advance(name, type === 'updated' ? old : undefined);
    // A node that comes back starts from zero, as after a reboot.
    if (type !== 'updated') entry.spent = NOTHING_SPENT;
    if (type === 'deleted' && entry.vms === 0) this.#entries.delete(name);
    if (type !== 'updated') this.#names = undefined;
    this.#reference = undefined;
    this.#era++;
  }

  #pod({ type, object }: Change<Pod>): void {
    if (type === 'deleted') this.#count(keyOf(object), undefined);
    else this.#count(keyOf(object), this.#demand(object));
    this.#read(object, type === 'deleted');
    // Both pods of a migrating VM count as one VM.
    const instance = object.metadata.labels?.[CREATED_BY_LABEL];
    if (instance === undefined) return;
    for (const other of this.#pods.by(byInstance, instance)) {
      if (other !== object && other.metadata.labels?.[MIGRATION_LABEL] !== undefined) {
        this.#count(keyOf(other), this.#demand(other));
      }
    }
  }

  /** Logs once for each pod that its annotations are unreadable. */
  #read(pod: Pod, isGone: boolean): void {
    const key = keyOf(pod);
    const annotations = isGone ? [] : unreadable(pod);
    if (annotations.length === 0) this.#unread.delete(key);
    else if (!this.#unread.has(key)) {
      this.#unread.add(key);
      this.#log.warn({ pod: key, annotations }, 'the consumption annotation is not a number and is ignored');
    }
  }

  #demand(pod: Pod): LauncherUsage | undefined {
    const { labels = {} } = pod.metadata;
    const demand = launcherUsageOf(pod);
    if (demand === undefined || labels[MIGRATION_LABEL] === undefined) return demand;
    // A migration target does not count until the source pod is gone.
    for (const other of this.#pods.by(byInstance, labels[CREATED_BY_LABEL] ?? '')) {
      if (isLive(other) && isOlder(other, pod)) return undefined;
    }
    return demand;
  }

  #count(key: string, demand: LauncherUsage | undefined): void {
    const before = this.#counted.get(key);
    if (before !== undefined && demand !== undefined && isSame(before, demand)) return;
    if (before !== undefined) this.#add(before, -1);
    if (demand !== undefined) this.#add(demand, 1);
    if (demand === undefined) this.#counted.delete(key);
    else this.#counted.set(key, demand);
  }

  #add({ node, cpu, memory, reference }: LauncherUsage, times: 1 | -1): void {
    const entry = this.#advance(node, this.#nodes.get(node));
    const key = keyOfSize(reference);
    const sum = entry.sums.get(key) ?? { reference, cpu: 0, memory: 0, vms: 0 };
    sum.cpu += times * cpu;
    sum.memory += times * memory;
    sum.vms += times;
    if (sum.vms === 0) entry.sums.delete(key);
    else entry.sums.set(key, sum);
    entry.vms += times;
    if (entry.vms === 0 && this.#nodes.get(node) === undefined) this.#entries.delete(node);
  }
}

/** Adds the time until now with the current metrics. */
function pass(entry: Entry, measures: Measures, cpuCores: number, now: number): void {
  if (now <= entry.at) return;
  entry.spent = spentAfter(entry.spent, (now - entry.at) / 1000, cpuCores, measures);
  entry.at = now;
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const keyOfSize = (size: NodeSize | undefined) => (size === undefined ? '' : `${size.cpu} ${size.memory}`);

const isSame = (a: LauncherUsage, b: LauncherUsage) =>
  a.node === b.node && a.cpu === b.cpu && a.memory === b.memory && keyOfSize(a.reference) === keyOfSize(b.reference);

function isOlder(a: Pod, b: Pod): boolean {
  const [x, y] = [a.metadata, b.metadata];
  if (x.uid === y.uid) return false;
  const order = compare(x.creationTimestamp ?? '', y.creationTimestamp ?? '');
  return order < 0 || (order === 0 && x.labels?.[MIGRATION_LABEL] === undefined);
}

const ROLE = 'node-role.kubernetes.io/';

function rolesOf({ metadata }: Node): readonly string[] {
  const roles = Object.keys(metadata.labels ?? {}).flatMap((label) =>
    label.startsWith(ROLE) && label.length > ROLE.length ? [label.slice(ROLE.length)] : [],
  );
  return roles.length === 0 ? ['worker'] : roles.sort();
}
