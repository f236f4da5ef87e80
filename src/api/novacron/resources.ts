import { resourceTypeFor } from '#api/kubevirt/resources';
import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import { type VirtualMachine, virtualMachine } from './virtual-machine.ts';
import { type VMPool, vmPool } from './vm-pool.ts';

export type NovacronVm = VirtualMachine & KubeObject;
export type Pool = VMPool & KubeObject;

export const NOVACRON_VMS: ResourceType<NovacronVm> = resourceTypeFor(virtualMachine);
export const VM_POOLS: ResourceType<Pool> = resourceTypeFor(vmPool);
