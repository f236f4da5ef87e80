import type { KubeObject } from '../kube-object.ts';
import type { KubeCondition } from './condition.ts';
import type { ResourceList, Toleration } from './pod.ts';
import { resourceType } from './resource-type.ts';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export interface Node extends KubeObject {
  readonly spec?: { readonly taints?: readonly Taint[]; readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?: readonly KubeCondition[];
    readonly capacity?: ResourceList;
    readonly allocatable?: ResourceList;
    readonly images?: readonly { readonly names?: readonly string[]; readonly sizeBytes?: number }[];
    readonly [field: string]: unknown;
  };
}

export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

export const NODES = resourceType<Node>('v1', 'Node', 'nodes', 'Cluster');
export const LEASES = resourceType<Lease>('coordination.k8s.io/v1', 'Lease', 'leases');

/** Reports whether a toleration tolerates a taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { effect = '', key = '', operator = 'Equal', value = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return key !== '' && operator === 'Equal' && value === (taint.value ?? '');
}
