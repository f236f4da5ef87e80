import type { KubeObject } from '../kube-object.ts';
import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import type { KubeCondition } from './condition.ts';
import { resourceType } from './resource-type.ts';

export interface CrossVersionReference {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
}

export interface MetricTarget {
  readonly type: 'Utilization' | 'Value' | 'AverageValue';
  readonly value?: string | number;
  readonly averageValue?: string | number;
  readonly averageUtilization?: number;
}

export interface MetricIdentifier {
  readonly name: string;
  readonly selector?: LabelSelectorSpec;
}

export interface MetricSpec {
  readonly type: string;
  readonly resource?: { readonly name: string; readonly target: MetricTarget };
  readonly containerResource?: { readonly name: string; readonly container: string; readonly target: MetricTarget };
  readonly pods?: { readonly metric: MetricIdentifier; readonly target: MetricTarget };
  readonly object?: {
    readonly describedObject: CrossVersionReference;
    readonly metric: MetricIdentifier;
    readonly target: MetricTarget;
  };
  readonly external?: { readonly metric: MetricIdentifier; readonly target: MetricTarget };
}

/** Limits for the rate at which an autoscaler may change the number of replicas in one direction. */
export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: string;
  readonly policies?: readonly { readonly type: string; readonly value: number; readonly periodSeconds: number }[];
  readonly tolerance?: string | number;
}

export interface HorizontalPodAutoscaler extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: CrossVersionReference;
    readonly minReplicas?: number;
    readonly maxReplicas: number;
    readonly metrics?: readonly MetricSpec[];
    readonly behavior?: { readonly scaleUp?: ScalingRules; readonly scaleDown?: ScalingRules };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly lastScaleTime?: string;
    readonly currentReplicas?: number;
    readonly desiredReplicas: number;
    readonly currentMetrics?: readonly object[] | null;
    readonly conditions?: readonly KubeCondition[];
  };
}

export const HORIZONTAL_POD_AUTOSCALERS = resourceType<HorizontalPodAutoscaler>(
  'autoscaling/v2',
  'HorizontalPodAutoscaler',
  'horizontalpodautoscalers',
);
