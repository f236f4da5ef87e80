import type { Pod } from '#platform/kube/kinds/pod';
import { isActive, isReady, readySince } from './pod-state.ts';

const COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES = ['Pending', 'Unknown', 'Running'];

/**
 * Picks the pods to delete, the least useful first. `related` are all pods that do the same work: of two equal pods,
 * the one with more of them on its node is deleted first.
 */
export function podsToDelete(pods: readonly Pod[], count: number, related: Iterable<Pod>, now: number): Pod[] {
  if (count >= pods.length) return [...pods];
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const { nodeName = '' } = pod.spec;
    if (isActive(pod) && nodeName !== '') onNode.set(nodeName, (onNode.get(nodeName) ?? 0) + 1);
  }
  const rank = (pod: Pod) => onNode.get(pod.spec.nodeName ?? '') ?? 0;
  return pods.toSorted((a, b) => compare(a, b, rank, now)).slice(0, count);
}

function compare(a: Pod, b: Pod, rank: (pod: Pod) => number, now: number): number {
  return (
    isPlaced(a) - isPlaced(b) ||
    phaseOf(a) - phaseOf(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    costOf(a) - costOf(b) ||
    rank(b) - rank(a) ||
    byAge(readySince(a), readySince(b), a, b, now) ||
    restartsOf(b) - restartsOf(a) ||
    byAge(createdAt(a), createdAt(b), a, b, now)
  );
}

const isPlaced = ({ spec }: Pod) => Number((spec.nodeName ?? '') !== '');
const phaseOf = ({ status }: Pod) => PHASES.indexOf(status?.phase ?? 'Pending');
const restartsOf = ({ status }: Pod) =>
  Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount = 0 }) => restartCount));
const createdAt = ({ metadata }: Pod) => Date.parse(metadata.creationTimestamp ?? '') || 0;

function costOf({ metadata }: Pod): number {
  const cost = metadata.annotations?.[COST] ?? '';
  return /^(0|-?[1-9][0-9]*)$/.test(cost) ? Number(cost) : 0;
}

/**
 * Orders the younger pod first. Ages of the same order of magnitude count as equal, so that the order is random instead
 * of by start time.
 */
function byAge(a: number | undefined, b: number | undefined, first: Pod, second: Pod, now: number): number {
  if (a === undefined || b === undefined || a === b) return 0;
  const magnitude = (time: number) => (now > time ? Math.floor(Math.log2((now - time) * 1e6)) : -1);
  const difference = magnitude(a) - magnitude(b);
  if (difference !== 0) return difference;
  return (first.metadata.uid ?? '') < (second.metadata.uid ?? '') ? -1 : 1;
}
