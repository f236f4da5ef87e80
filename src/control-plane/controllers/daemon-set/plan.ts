import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { type ControllerRevision, type DaemonSet, partOfWhole } from '#platform/kube/kinds/workloads';
import { REVISION_HASH } from '#platform/runtime/revisions/revision-history';
import { availableIn, isDeletionRequested } from '../replicas/pod-state.ts';
import { hashOf, targetNode } from './daemon-pod.ts';
import { type NodeEligibility, nodeEligibility } from './eligible-nodes.ts';

/** Next actions for a DaemonSet. */
export interface DaemonPlan {
  /** Names of nodes that need a pod. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
  /** Finished pods among those to delete, which are replaced with a back-off. */
  readonly failed: readonly Pod[];
}

/** A node of a DaemonSet with the daemon pods on it. */
export interface DaemonNode extends NodeEligibility {
  readonly name: string;
  readonly pods: readonly Pod[];
}

/** Groups the daemon pods by node, and decides about every node. */
export function daemonNodes({ spec }: DaemonSet, nodes: Iterable<Node>, pods: readonly Pod[]): DaemonNode[] {
  const byNode = Map.groupBy(pods, (pod) => targetNode(pod) ?? '');
  const eligibility = nodeEligibility(spec.template.spec);
  return [...nodes].map((node) => {
    const name = node.metadata.name ?? '';
    return { name, pods: byNode.get(name) ?? [], ...eligibility(node) };
  });
}

/** Plans pods for nodes without one, deletes those too many, and replaces some of an older revision. */
export function planDaemonSet(
  set: DaemonSet,
  nodes: readonly DaemonNode[],
  update: ControllerRevision,
  now: number,
): DaemonPlan {
  const steps = nodes.map((node) => planNode(node, set, update, now));
  const create = steps.flatMap((step) => step.create);
  const remove = steps.flatMap((step) => step.delete);
  const failed = steps.flatMap((step) => step.failed);
  const rolled = set.spec.updateStrategy?.type === 'OnDelete' ? NOTHING : planUpdate(set, nodes, update, now, remove);
  return { create: [...create, ...rolled.create], delete: [...remove, ...rolled.delete], failed };
}

const NOTHING: DaemonPlan = { create: [], delete: [], failed: [] };

function planNode(node: DaemonNode, set: DaemonSet, update: ControllerRevision, now: number): DaemonPlan {
  const { name, runs, keeps } = node;
  const staying = node.pods.filter((pod) => !isDeletionRequested(pod));
  const failed = staying.filter(({ status }) => status?.phase === 'Failed' || status?.phase === 'Succeeded');
  if (!keeps) return { ...NOTHING, delete: staying };
  if (failed.length > 0) return { create: [], delete: failed, failed };
  if (staying.length === 0) return { ...NOTHING, create: runs && node.pods.length === 0 ? [name] : [] };
  if (staying.length > 1 && maxSurge(set, 1) > 0)
    return { ...NOTHING, delete: podsReplacedBySurge(staying, set, update, now) };
  return { ...NOTHING, delete: staying.toSorted(byUsefulness).slice(1) };
}

/** During a surge, returns the old pod once its successor is available. */
function podsReplacedBySurge(staying: readonly Pod[], set: DaemonSet, update: ControllerRevision, now: number): Pod[] {
  const [fresh, old] = [
    staying.filter((pod) => isUpdated(pod, update)),
    staying.filter((pod) => !isUpdated(pod, update)),
  ];
  const surplus = [fresh, old].flatMap((pods) => pods.toSorted(byUsefulness).slice(1));
  const [kept] = fresh.toSorted(byUsefulness);
  const [former] = old.toSorted(byUsefulness);
  const isReplaced = kept !== undefined && former !== undefined && isAvailable(kept, set, now);
  return isReplaced ? [...surplus, former] : surplus;
}

/** Replaces pods of an older revision, within the limits of unavailable or additional pods. */
function planUpdate(
  set: DaemonSet,
  nodes: readonly DaemonNode[],
  update: ControllerRevision,
  now: number,
  leaving: readonly Pod[],
): DaemonPlan {
  const desired = nodes.filter(({ runs }) => runs);
  const [surge, mayFail] = [maxSurge(set, desired.length), maxUnavailable(set, desired.length)];
  const candidates: { readonly node: string; readonly pod: Pod; readonly available: boolean }[] = [];
  let [unavailable, surging] = [0, 0];
  for (const { name, pods } of desired) {
    const staying = pods.filter((pod) => !isDeletionRequested(pod) && !leaving.includes(pod));
    const available = staying.some((pod) => isAvailable(pod, set, now));
    if (!available) unavailable++;
    if (staying.length > 1) surging++;
    const [only] = staying;
    if (staying.length === 1 && only !== undefined && !isUpdated(only, update))
      candidates.push({ node: name, pod: only, available });
  }
  if (surge > 0)
    return { ...NOTHING, create: candidates.slice(0, Math.max(0, surge - surging)).map(({ node }) => node) };
  const broken = candidates.filter(({ available }) => !available);
  const healthy = candidates.filter(({ available }) => available).slice(0, Math.max(0, mayFail - unavailable));
  return { ...NOTHING, delete: [...broken, ...healthy].map(({ pod }) => pod) };
}

export const isUpdated = ({ metadata }: Pod, update: ControllerRevision): boolean =>
  metadata.labels?.[REVISION_HASH] === hashOf(update);

export const isAvailable = (pod: Pod, { spec }: DaemonSet, now: number): boolean =>
  availableIn(pod, spec.minReadySeconds ?? 0, now) === 0;

/** Orders bound pods first, then older ones. */
function byUsefulness(a: Pod, b: Pod): number {
  const bound = ({ spec }: Pod) => Number((spec.nodeName ?? '') === '');
  const age = ({ metadata }: Pod) => `${metadata.creationTimestamp ?? ''} ${metadata.name ?? ''}`;
  return bound(a) - bound(b) || (age(a) < age(b) ? -1 : 1);
}

const maxSurge = ({ spec }: DaemonSet, nodes: number): number =>
  partOfWhole(spec.updateStrategy?.rollingUpdate?.maxSurge ?? 0, nodes, 'up');

function maxUnavailable(set: DaemonSet, nodes: number): number {
  const given = partOfWhole(set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, nodes, 'up');
  return given === 0 && maxSurge(set, nodes) === 0 ? 1 : given;
}
