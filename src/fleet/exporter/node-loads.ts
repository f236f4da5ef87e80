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
import { amountsOf, byInstance, isLive, type LauncherUsage, launcherUsageOf, unreadable } from './launcher-usage.ts';
import { measureLoad, NOTHING_SPENT, type NodeLoad, type NodeState, type SpentTime, spentAfter } from './node-load.ts';

interface Entry {
  microCores: number;
  bytes: number;
  cpuShare: number;
  memoryShare: number;
  vms: number;
  spent: SpentTime;
  /** Until when `spent` counts, on the monotonic clock. */
  at: number;
  /** What all this comes to, and for which version of the node and which era; undefined where it has to be reckoned. */
  known: { readonly state: NodeState; readonly node: Node; readonly era: number } | undefined;
}

export interface NodeLoadsDeps {
  readonly nodes: Informer<Node>;
  readonly pods: Informer<Pod>;
  readonly clock: Clock;
  /** What shares of a node are of, where simulated nodes are not alike. */
  readonly defaultNode?: NodeSize | undefined;
  readonly log?: Logger | undefined;
}

/**
 * What all nodes of a cluster measure, kept as pods and nodes change: who asks pays for the nodes, not for the pods, and
 * no request is made.
 */
export class NodeLoads {
  readonly #nodes: Cache<Node>;
  readonly #pods: Cache<Pod>;
  readonly #clock: Clock;
  readonly #usual: NodeSize;
  readonly #entries = new Map<string, Entry>();
  /** What each pod was last counted with, by its key. */
  readonly #counted = new Map<string, LauncherUsage>();
  /** Pods with annotations that cannot be read, by their key; these count for nothing. */
  readonly #unread = new Set<string>();
  readonly #log: Logger;
  readonly #sizes = new WeakMap<Node, Amounts>();
  #reference: NodeSize | undefined;
  /** Counts the times at which shares have come to mean something else. */
  #era = 0;
  /** The names of all nodes in order; undefined after some have come or gone. */
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

  /** The node that shares are of, where a pod does not say. */
  get reference(): NodeSize {
    return (this.#reference ??= sharedSize(this.#nodes.all()) ?? this.#usual);
  }

  /** The pods that count for less than they should, because nobody can read what they say. */
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

  #measures({ microCores, bytes, cpuShare, memoryShare }: Entry, node: Node): Measures {
    const { cores: cpuCores, bytes: memoryBytes } = this.#sizeOf(node);
    const shared = cpuShare === 0 && memoryShare === 0 ? NO_AMOUNTS : amountsOf(this.reference);
    const cores = microCores / 1e6 + (cpuShare / 1e9) * shared.cores;
    return measureLoad({ cpuCores, memoryBytes }, { cores, bytes: bytes + (memoryShare / 1e9) * shared.bytes });
  }

  /** What a node has to give; read once for each version of it. */
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
      const empty = { microCores: 0, bytes: 0, cpuShare: 0, memoryShare: 0, vms: 0 };
      entry = { ...empty, spent: NOTHING_SPENT, at: this.#clock.monotonic(), known: undefined };
      this.#entries.set(name, entry);
    }
    return entry;
  }

  /** Counts the time that went by with what the node measured until now; called before anything changes. */
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
    // A node that comes back begins anew, as one that was started again does.
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
    // The two pods of a machine that moves are one machine.
    const instance = object.metadata.labels?.[CREATED_BY_LABEL];
    if (instance === undefined) return;
    for (const other of this.#pods.by(byInstance, instance)) {
      if (other !== object && other.metadata.labels?.[MIGRATION_LABEL] !== undefined) {
        this.#count(keyOf(other), this.#demand(other));
      }
    }
  }

  /** Says once of each pod that it cannot be read. */
  #read(pod: Pod, isGone: boolean): void {
    const key = keyOf(pod);
    const annotations = isGone ? [] : unreadable(pod);
    if (annotations.length === 0) this.#unread.delete(key);
    else if (!this.#unread.has(key)) {
      this.#unread.add(key);
      this.#log.warn({ pod: key, annotations }, 'a consumption is no number and counts for nothing');
    }
  }

  #demand(pod: Pod): LauncherUsage | undefined {
    const { labels = {} } = pod.metadata;
    const demand = launcherUsageOf(pod);
    if (demand === undefined || labels[MIGRATION_LABEL] === undefined) return demand;
    // It is the place that a machine moves to, until the place that it comes from is gone.
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

  #add({ node, microCores, bytes, cpuShare, memoryShare }: LauncherUsage, times: 1 | -1): void {
    const entry = this.#advance(node, this.#nodes.get(node));
    entry.microCores += times * microCores;
    entry.bytes += times * bytes;
    entry.cpuShare += times * cpuShare;
    entry.memoryShare += times * memoryShare;
    entry.vms += times;
    if (entry.vms === 0 && this.#nodes.get(node) === undefined) this.#entries.delete(node);
  }
}

/** Counts the time until now with what the node has measured. */
function pass(entry: Entry, measures: Measures, cpuCores: number, now: number): void {
  if (now <= entry.at) return;
  entry.spent = spentAfter(entry.spent, (now - entry.at) / 1000, cpuCores, measures);
  entry.at = now;
}

type Amounts = ReturnType<typeof amountsOf>;
const NO_AMOUNTS: Amounts = { cores: 0, bytes: 0 };

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const isSame = (a: LauncherUsage, b: LauncherUsage) =>
  a.node === b.node &&
  a.microCores === b.microCores &&
  a.bytes === b.bytes &&
  a.cpuShare === b.cpuShare &&
  a.memoryShare === b.memoryShare;

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
