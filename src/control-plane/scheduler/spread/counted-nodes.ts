import { isTolerated } from '../filters/taint-toleration.ts';
import type { ClusterView } from '../framework/cluster-view.ts';
import type { PodInfo } from '../pod/pod-info.ts';
import type { NamedSelector } from '../pod/selector-cache.ts';
import type { SpreadConstraint } from '../pod/spread-constraint.ts';
import type { PodMatch } from '../snapshot/pod-counts.ts';

/** Reports whether the pods on a node count for a constraint. */
export type IsCounted = (slot: number, constraint: SpreadConstraint) => boolean;

/**
 * Returns a test for nodes that have the labels of all constraints and match the pod's affinity and tolerations as the
 * constraint requires. Without `all`, a node may lack labels.
 */
export function countedNodes(
  { requiredNodeAffinity, tolerations }: PodInfo,
  constraints: readonly SpreadConstraint[],
  { nodes }: ClusterView,
  all = true,
): IsCounted {
  const columns = all ? constraints.map(({ topologyKey }) => nodes.topology.of(topologyKey).values) : [];
  const { ofSlot, sets } = nodes.taints;
  const tolerated = sets.map((taints) => isTolerated(taints, tolerations));
  return (slot, { honorAffinity, honorTaints }) => {
    for (const values of columns) if ((values[slot] ?? -1) < 0) return false;
    if (honorTaints && tolerated[ofSlot[slot] ?? 0] === false) return false;
    if (!honorAffinity || requiredNodeAffinity === undefined) return true;
    const node = nodes.nodeAt(slot);
    return node !== undefined && requiredNodeAffinity.matches(node);
  };
}

/** Matches pods of a namespace that a selector selects and that are not terminating. */
export function spreadMatch(namespace: string, selector: NamedSelector): PodMatch {
  return {
    key: `spread|${namespace}|${selector.key}`,
    namespaces: new Set([namespace]),
    matches: (pod) => !pod.terminating && selector.matches(pod.labels),
  };
}
