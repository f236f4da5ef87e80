import type { Labels } from '#platform/kube/selectors/label-requirement';
import type { topologySpreadConstraints } from '#platform/schema/placement';
import type { OutputOf } from '#platform/schema/schema';
import { type NamedSelector, selectorOf } from './selector-cache.ts';

export type SpreadConstraintSpec = NonNullable<OutputOf<typeof topologySpreadConstraints>>[number];

/** Constraint on how evenly the pods that match a selector spread over the values of a node label. */
export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** True for DoNotSchedule, false for ScheduleAnyway. */
  readonly hard: boolean;
  readonly selector: NamedSelector;
  /** Excludes nodes that the pod's node affinity does not match. */
  readonly honorAffinity: boolean;
  /** Excludes nodes with taints that the pod does not tolerate. */
  readonly honorTaints: boolean;
}

export function spreadConstraintOf(spec: SpreadConstraintSpec, labels: Labels | undefined): SpreadConstraint {
  return {
    topologyKey: spec.topologyKey,
    maxSkew: spec.maxSkew,
    minDomains: spec.minDomains ?? 1,
    hard: spec.whenUnsatisfiable === 'DoNotSchedule',
    selector: selectorOf(withOwnLabels(spec, labels)),
    honorAffinity: spec.nodeAffinityPolicy !== 'Ignore',
    honorTaints: spec.nodeTaintsPolicy === 'Honor',
  };
}

/** Adds the pod's own values of matchLabelKeys to the selector. */
function withOwnLabels({ labelSelector, matchLabelKeys = [] }: SpreadConstraintSpec, labels: Labels | undefined) {
  const own = matchLabelKeys.flatMap((key) => {
    const value = labels?.[key];
    return value === undefined ? [] : [{ key, operator: 'In', values: [value] }];
  });
  if (own.length === 0) return labelSelector;
  return { ...labelSelector, matchExpressions: [...(labelSelector?.matchExpressions ?? []), ...own] };
}
