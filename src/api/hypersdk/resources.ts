import { type VirtualMachine, virtualMachine } from '#api/hypersdk/virtual-machine';
import { type VMTemplate, vmTemplate } from '#api/hypersdk/vm-template';
import { resourceTypeFor } from '#api/kubevirt/resources';
import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';

export type HypersdkVm = VirtualMachine & KubeObject;
export type Template = VMTemplate & KubeObject;

export const HYPERSDK_VMS: ResourceType<HypersdkVm> = resourceTypeFor(virtualMachine);
export const VM_TEMPLATES: ResourceType<Template> = resourceTypeFor(vmTemplate);
