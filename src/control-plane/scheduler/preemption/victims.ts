import type { PodDisruptionBudget } from '#platform/kube/kinds/policy';
import type { FilterStatus } from '../framework/filter.ts';
import type { FilterCycle } from '../framework/filter-cycle.ts';
import type { PodInfo } from '../pod/pod-info.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { filterPodsWithPdbViolation } from './budgets.ts';
import { byImportance } from './importance.ts';

/** Pods to evict from one node so that another fits, most important first. */
export interface PreemptionCandidate {
  readonly slot: number;
  readonly victims: readonly PodInfo[];
  /** Number of victims that violate a disruption budget. */
  readonly broken: number;
}

export const NO_VICTIMS: FilterStatus = {
  plugin: 'NodeResourcesFit',
  reasons: ['No preemption victims found for incoming pod'],
  preemptable: false,
};

/**
 * Finds the fewest lower-priority pods whose eviction lets a pod fit on a node, or the reason why none would do. All of
 * them are removed first and then reprieved one by one, most important first, as long as the pod still fits.
 */
export function selectVictimsOnNode(
  slot: number,
  pod: PodInfo,
  filters: FilterCycle,
  nodes: Snapshot,
  budgets: readonly PodDisruptionBudget[],
): PreemptionCandidate | FilterStatus {
  const present = [...nodes.podsAt(slot).values()];
  const lower = present.filter(({ priority }) => priority < pod.priority);
  if (lower.length === 0) return NO_VICTIMS;
  const away = new Set<PodInfo>();
  const move = (other: PodInfo, by: 1 | -1) => {
    filters.suppose(slot, other, by);
    if (by === -1) away.add(other);
    else away.delete(other);
  };
  const staysAway = (other: PodInfo): boolean => {
    move(other, 1);
    if (filters.check(slot) === undefined) return false;
    move(other, -1);
    return true;
  };
  for (const other of lower) move(other, -1);
  try {
    const refusal = filters.check(slot);
    if (refusal !== undefined) return refusal;
    const ordered = byImportance(lower);
    const split = filterPodsWithPdbViolation(ordered, budgets);
    const broken = split.protected.filter(staysAway);
    split.others.forEach(staysAway);
    return { slot, victims: ordered.filter((other) => away.has(other)), broken: broken.length };
  } finally {
    for (const other of [...away]) move(other, 1);
    nodes.inOrder(slot, present);
  }
}
