import { type VMOperation, vmOperation } from '#api/hypersdk/vm-operation';
import { resourceTypeFor } from '#api/kubevirt/resources';
import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';

export type Operation = VMOperation & KubeObject;

export const OPERATIONS: ResourceType<Operation> = resourceTypeFor(vmOperation);
