import { type VMOperation, vmOperation } from '../../api/hypersdk/vm-operation.ts';
import type { ResourceType } from '../client.ts';
import type { KubeObject } from '../kube-object.ts';
import { resourceOfKind } from './machines.ts';

export type Operation = VMOperation & KubeObject;

export const OPERATIONS: ResourceType<Operation> = resourceOfKind(vmOperation);
