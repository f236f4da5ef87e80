import type { KubeObject } from '../kube-object.ts';
import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import type { KubeCondition } from './condition.ts';
import { resourceType } from './resource-type.ts';
import type { IntOrPercent } from './workloads.ts';

export interface PodDisruptionBudget extends KubeObject {
  readonly spec?: {
    readonly minAvailable?: IntOrPercent;
    readonly maxUnavailable?: IntOrPercent;
    readonly selector?: LabelSelectorSpec;
  };
  readonly status?: {
    readonly disruptionsAllowed: number;
    readonly currentHealthy: number;
    readonly desiredHealthy: number;
    readonly expectedPods: number;
    readonly observedGeneration?: number;
    readonly disruptedPods?: Readonly<Record<string, string>>;
    readonly conditions?: readonly KubeCondition[];
  };
}

export const POD_DISRUPTION_BUDGETS = resourceType<PodDisruptionBudget>(
  'policy/v1',
  'PodDisruptionBudget',
  'poddisruptionbudgets',
);
