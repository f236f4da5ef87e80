import type { Node } from '#platform/kube/kinds/node';
import { tolerates } from '#platform/kube/kinds/node';
import { isTolerated } from '../filters/taint-toleration.ts';
import type { ClusterView } from '../framework/cluster-view.ts';
import type { FilterName } from '../framework/plugin-name.ts';
import { isNamedBy } from '../pod/affinity-term.ts';
import { CPU, EPHEMERAL_STORAGE, MEMORY, type ResourceAmounts, resourceAmountsOf } from '../pod/amounts.ts';
import { collide } from '../pod/host-port.ts';
import { type PodInfo, sameLabels } from '../pod/pod-info.ts';
import type { ClusterEvent } from './cluster-event.ts';
import type { QueuedPod } from './queued-pod.ts';

/**
 * Reports whether an event may make a rejected pod pass a plugin. When in doubt it returns true, since an attempt is
 * cheap.
 */
type Hint = (event: ClusterEvent, pod: PodInfo, cluster: ClusterView) => boolean;

const CORDONED = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Returns a hint for nodes that now pass a test and did not exist or pass before. */
const becomes =
  (suits: (node: Node, pod: PodInfo) => boolean): Hint =>
  (event, pod) => {
    if (event.what !== 'node' || event.after === undefined || !suits(event.after, pod)) return false;
    return event.before === undefined || !suits(event.before, pod);
  };

const isNew = (event: ClusterEvent): boolean =>
  event.what === 'node' && event.before === undefined && event.after !== undefined;

/** Reports whether labels or taints changed. The result is the same for all pending pods. */
const changesPlaces = (event: ClusterEvent): boolean => {
  if (event.what !== 'node') return false;
  let changed = placesChanged.get(event);
  if (changed === undefined) {
    const { before, after } = event;
    changed =
      before === undefined ||
      after === undefined ||
      !sameLabels(before.metadata.labels, after.metadata.labels) ||
      JSON.stringify(before.spec?.taints) !== JSON.stringify(after.spec?.taints);
    placesChanged.set(event, changed);
  }
  return changed;
};

const placesChanged = new WeakMap<ClusterEvent, boolean>();

const isAboutStorage = (event: ClusterEvent): boolean =>
  event.what === 'storage' || isNew(event) || changesPlaces(event);

const HINTS: Readonly<Record<FilterName, Hint>> = {
  NodeUnschedulable: becomes(
    ({ spec }, { tolerations }) =>
      spec?.unschedulable !== true || tolerations.some((toleration) => tolerates(toleration, CORDONED)),
  ),
  NodeName: isNew,
  TaintToleration: becomes(({ spec }, { tolerations }) => isTolerated(spec?.taints ?? [], tolerations)),
  NodeAffinity: becomes(
    (node, { requiredNodeAffinity }) => requiredNodeAffinity === undefined || requiredNodeAffinity.matches(node),
  ),
  NodePorts(event, { ports }) {
    if (event.what !== 'placed pod') return isNew(event);
    if (event.before === undefined || event.after !== undefined) return false;
    return event.before.ports.some((taken) => ports.some((port) => collide(taken, port)));
  },
  NodeResourcesFit(event, pod, { nodes }) {
    if (event.what === 'node') return event.after !== undefined && gains(event.before, event.after, pod);
    // Insufficient room is not worth an attempt, because the next pod that leaves is checked again.
    return event.what === 'placed pod' && event.before !== undefined && hasRoom(event.slot, pod, nodes);
  },
  VolumeRestrictions: (event) => isAboutStorage(event) || leaves(event),
  NodeVolumeLimits: (event) => isAboutStorage(event) || leaves(event),
  VolumeBinding: isAboutStorage,
  VolumeZone: isAboutStorage,
  PodTopologySpread(event, pod) {
    if (event.what !== 'placed pod') return changesPlaces(event);
    const counts = (other: PodInfo | undefined) =>
      other?.namespace === pod.namespace && pod.spread.some(({ selector }) => selector.matches(other.labels));
    return pod.spread.length === 0 || counts(event.before) || counts(event.after);
  },
  InterPodAffinity(event, pod, cluster) {
    if (event.what !== 'placed pod') return changesPlaces(event);
    const { before, after } = event;
    const named = (terms: PodInfo['affinity'], other: PodInfo) =>
      terms.some((term) => isNamedBy(term, other, cluster.namespaceLabels(other.namespace)));
    if (after !== undefined && named(pod.affinity, after)) return true;
    if (before === undefined) return false;
    return named(pod.antiAffinity, before) || named(before.antiAffinity, pod);
  },
};

/** Reports whether an event should make a pending pod be tried again. */
export function queueingHint(
  { info, unschedulablePlugins }: QueuedPod,
  event: ClusterEvent,
  cluster: ClusterView,
): boolean {
  // No plugin rejected the pod, so there was no node at all.
  if (unschedulablePlugins.size === 0) return event.what === 'node';
  for (const plugin of unschedulablePlugins) if (HINTS[plugin](event, info, cluster)) return true;
  return false;
}

/** Reports whether a change of the pod itself may make it schedulable. */
export function ownUpdateHint(before: PodInfo, after: PodInfo): boolean {
  return JSON.stringify(before.pod.spec) !== JSON.stringify(after.pod.spec) || !sameLabels(before.labels, after.labels);
}

const leaves = (event: ClusterEvent): boolean =>
  event.what === 'placed pod' && event.before !== undefined && event.after === undefined;

/** Reports whether a node can hold the pod when empty, and could not before or has more now. */
function gains(before: Node | undefined, after: Node, pod: PodInfo): boolean {
  const now = allocatableOf(after);
  if (!holds(now, pod)) return false;
  if (before === undefined) return true;
  const then = allocatableOf(before);
  const more = (name: string) => (now.get(name) ?? 0) > (then.get(name) ?? 0);
  return [CPU, MEMORY, EPHEMERAL_STORAGE, PODS].some((name) => more(name)) || pod.scalars.some(([name]) => more(name));
}

const PODS = 'pods';

function holds(amounts: ResourceAmounts, { cpu, memory, ephemeralStorage, scalars }: PodInfo): boolean {
  const has = (name: string, amount: number) => amount <= (amounts.get(name) ?? 0);
  return (
    has(CPU, cpu) &&
    has(MEMORY, memory) &&
    has(EPHEMERAL_STORAGE, ephemeralStorage) &&
    has(PODS, 1) &&
    scalars.every(([name, amount]) => has(name, amount))
  );
}

/** Parses the allocatable amounts once for each state of a node, because every pending pod needs them. */
function allocatableOf(node: Node): ResourceAmounts {
  let amounts = allocatables.get(node);
  if (amounts === undefined) {
    amounts = resourceAmountsOf(node.status?.allocatable);
    allocatables.set(node, amounts);
  }
  return amounts;
}

const allocatables = new WeakMap<Node, ResourceAmounts>();

function hasRoom(slot: number, pod: PodInfo, { columns }: ClusterView['nodes']): boolean {
  const left = (has: Float64Array, taken: Float64Array | Int32Array) => (has[slot] ?? 0) - (taken[slot] ?? 0);
  return (
    left(columns.allowedPods, columns.pods) >= 1 &&
    (pod.cpu === 0 || left(columns.allocatableCpu, columns.cpu) >= pod.cpu) &&
    (pod.memory === 0 || left(columns.allocatableMemory, columns.memory) >= pod.memory) &&
    (pod.ephemeralStorage === 0 || left(columns.allocatableStorage, columns.storage) >= pod.ephemeralStorage)
  );
}
