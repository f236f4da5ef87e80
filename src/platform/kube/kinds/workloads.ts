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

export interface ClaimTemplate {
  readonly metadata?: KubeMeta;
  readonly spec?: object;
}

export interface StatefulSet extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
    readonly serviceName?: string;
    readonly podManagementPolicy?: string;
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: IntOrPercent };
    };
    readonly revisionHistoryLimit?: number;
    readonly ordinals?: { readonly start?: number };
    readonly volumeClaimTemplates?: readonly ClaimTemplate[];
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas: number;
    readonly readyReplicas?: number;
    readonly currentReplicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas: number;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
    readonly collisionCount?: number;
    readonly conditions?: readonly KubeCondition[];
  };
}

export interface DaemonSet extends KubeObject {
  readonly spec: {
    readonly minReadySeconds?: number;
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly maxSurge?: IntOrPercent; readonly maxUnavailable?: IntOrPercent };
    };
    readonly revisionHistoryLimit?: number;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly currentNumberScheduled: number;
    readonly numberMisscheduled: number;
    readonly desiredNumberScheduled: number;
    readonly numberReady: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
    readonly numberUnavailable?: number;
    readonly collisionCount?: number;
    readonly conditions?: readonly KubeCondition[];
  };
}

/** One state of the template of a StatefulSet or DaemonSet, kept so that it can be rolled back to. */
export interface ControllerRevision extends KubeObject {
  readonly data?: unknown;
  readonly revision: number;
}

export const REPLICA_SETS = resourceType<ReplicaSet>('apps/v1', 'ReplicaSet', 'replicasets');
export const DEPLOYMENTS = resourceType<Deployment>('apps/v1', 'Deployment', 'deployments');
export const STATEFUL_SETS = resourceType<StatefulSet>('apps/v1', 'StatefulSet', 'statefulsets');
export const DAEMON_SETS = resourceType<DaemonSet>('apps/v1', 'DaemonSet', 'daemonsets');
export const CONTROLLER_REVISIONS = resourceType<ControllerRevision>(
  'apps/v1',
  'ControllerRevision',
  'controllerrevisions',
);
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
