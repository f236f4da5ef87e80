export interface MetricTarget {
  type?: string;
  averageUtilization?: number;
  averageValue?: string;
  value?: string;
}

export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
}

/** Source of a metric. Its fields depend on its type. */
export interface MetricSource {
  name?: string;
  container?: string;
  metric?: { name?: string; selector?: object };
  describedObject?: ObjectReference;
}

type MetricOf<Values> = { type?: string } & Partial<
  Record<'resource' | 'containerResource' | 'pods' | 'object' | 'external', MetricSource & Values>
>;

export type Metric = MetricOf<{ target?: MetricTarget }>;
export type CurrentMetric = MetricOf<{ current?: MetricTarget }>;

export interface ScalingRules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: { type?: string; value?: number; periodSeconds?: number }[];
}

export interface Autoscaler {
  spec?: {
    minReplicas?: number;
    maxReplicas?: number;
    scaleTargetRef?: ObjectReference;
    metrics?: Metric[];
    behavior?: { scaleUp?: ScalingRules; scaleDown?: ScalingRules };
  };
  status?: {
    currentReplicas?: number;
    desiredReplicas?: number;
    lastScaleTime?: string;
    observedGeneration?: number;
    currentMetrics?: CurrentMetric[] | null;
    conditions?: unknown[];
  };
}

export interface AutoscalerV1 {
  spec?: {
    minReplicas?: number;
    maxReplicas?: number;
    scaleTargetRef?: ObjectReference;
    targetCPUUtilizationPercentage?: number;
  };
  status?: {
    currentReplicas?: number;
    desiredReplicas?: number;
    lastScaleTime?: string;
    observedGeneration?: number;
    currentCPUUtilizationPercentage?: number;
  };
}
