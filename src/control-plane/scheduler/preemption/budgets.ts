import type { PodDisruptionBudget } from '#platform/kube/kinds/policy';
import type { PodInfo } from '../pod/pod-info.ts';
import { selectorOf } from '../pod/selector-cache.ts';

export interface PodsByPdbViolation {
  /** Pods whose eviction would violate a disruption budget. */
  readonly protected: readonly PodInfo[];
  readonly others: readonly PodInfo[];
}

/** Splits pods by whether their eviction violates a budget. Earlier pods use up the allowed disruptions. */
export function filterPodsWithPdbViolation(
  pods: readonly PodInfo[],
  budgets: Iterable<PodDisruptionBudget>,
): PodsByPdbViolation {
  const left = [...budgets].map((budget) => ({ budget, allowed: budget.status?.disruptionsAllowed ?? 0 }));
  const result: { protected: PodInfo[]; others: PodInfo[] } = { protected: [], others: [] };
  for (const pod of pods) {
    let breaks = false;
    for (const each of left) {
      if (!covers(each.budget, pod)) continue;
      each.allowed--;
      if (each.allowed < 0) breaks = true;
    }
    (breaks ? result.protected : result.others).push(pod);
  }
  return result;
}

/** Reports whether a budget covers a pod. A pod whose eviction the budget already records is not counted again. */
function covers({ metadata, spec, status }: PodDisruptionBudget, { namespace, name, labels }: PodInfo): boolean {
  if (metadata.namespace !== namespace || labels === undefined) return false;
  const selector = selectorOf(spec?.selector);
  return !selector.empty && selector.matches(labels) && status?.disruptedPods?.[name] === undefined;
}
