import { type VirtualMachine, virtualMachine } from '../../api/hypersdk/virtual-machine.ts';
import { type VMTemplate, vmTemplate } from '../../api/hypersdk/vm-template.ts';
import type { ResourceType } from '../client.ts';
import type { KubeObject } from '../kube-object.ts';
import { resourceOfKind } from './machines.ts';

export type HypersdkVm = VirtualMachine & KubeObject;
export type Template = VMTemplate & KubeObject;

export const HYPERSDK_VMS: ResourceType<HypersdkVm> = resourceOfKind(virtualMachine);
export const VM_TEMPLATES: ResourceType<Template> = resourceOfKind(vmTemplate);
