import type { KubeMeta, KubeObject } from '../kube-object.ts';
import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import type { KubeCondition } from './condition.ts';
import type { PodSpec } from './pod.ts';
import { resourceType } from './resource-type.ts';

/** Kinds that maintain a number of pods. */

export interface PodTemplate {
  readonly metadata?: KubeMeta;
  readonly spec: PodSpec;
}

export interface ReplicaStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly KubeCondition[];
}

export interface ReplicaSet extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
  };
  readonly status?: ReplicaStatus;
}

export interface ReplicationController extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector?: Readonly<Record<string, string>>;
    readonly template: PodTemplate;
  };
  readonly status?: ReplicaStatus;
}

/** A number, or a percentage such as `25%`. */
export type IntOrPercent = number | string;

export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
    readonly strategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly maxSurge?: IntOrPercent; readonly maxUnavailable?: IntOrPercent };
    };
    readonly revisionHistoryLimit?: number;
    readonly progressDeadlineSeconds?: number;
    readonly paused?: boolean;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly unavailableReplicas?: number;
    readonly terminatingReplicas?: number;
    readonly collisionCount?: number;
    readonly conditions?: readonly KubeCondition[];
  };
}

export interface StatefulSet extends KubeObject {
  readonly spec: { readonly replicas?: number };
}

export const REPLICA_SETS = resourceType<ReplicaSet>('apps/v1', 'ReplicaSet', 'replicasets');
export const DEPLOYMENTS = resourceType<Deployment>('apps/v1', 'Deployment', 'deployments');
export const STATEFUL_SETS = resourceType<StatefulSet>('apps/v1', 'StatefulSet', 'statefulsets');
export const REPLICATION_CONTROLLERS = resourceType<ReplicationController>(
  'v1',
  'ReplicationController',
  'replicationcontrollers',
);

/** Resolves a number or percentage of a whole. Fractions are rounded as requested. */
export function partOfWhole(part: IntOrPercent, whole: number, round: 'up' | 'down'): number {
  if (typeof part === 'number') return part;
  const share = (Number.parseInt(part, 10) * whole) / 100;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
}
