import type { KubeObject } from '../kube-object.ts';
import type { KubeCondition } from './condition.ts';
import { resourceType } from './resource-type.ts';

export type ResourceList = Readonly<Record<string, string | number>>;

export interface Resources {
  readonly requests?: ResourceList;
  readonly limits?: ResourceList;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly resources?: Resources;
  readonly restartPolicy?: string;
  readonly ports?: readonly ContainerPort[];
}

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly ephemeral?: object;
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly tolerations?: readonly Toleration[];
  readonly volumes?: readonly Volume[];
  readonly resources?: Resources;
  readonly overhead?: ResourceList;
  readonly activeDeadlineSeconds?: number;
  readonly priorityClassName?: string;
  readonly priority?: number;
  readonly preemptionPolicy?: string;
  readonly schedulerName?: string;
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface PodStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly startTime?: string;
  readonly nominatedNodeName?: string;
  readonly conditions?: readonly KubeCondition[];
  readonly containerStatuses?: readonly { readonly restartCount?: number }[];
  readonly [field: string]: unknown;
}

export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export const PODS = resourceType<Pod>('v1', 'Pod', 'pods');
