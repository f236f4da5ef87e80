import {
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineInstanceMigration,
  virtualMachine,
  virtualMachineInstance,
  virtualMachineInstanceMigration,
} from '#api/kubevirt/group';
import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Kind, ObjectOf } from '#platform/schema/kind';

/** Returns the resource type of one of our kinds, in its storage version. */
export function resourceTypeFor<K extends Kind>({
  group,
  versions: [version],
  plural,
  kind,
}: K): ResourceType<ObjectOf<K> & KubeObject> {
  return { group, version, plural, kind, namespaced: true };
}

export type Vm = VirtualMachine & KubeObject;
export type Vmi = VirtualMachineInstance & KubeObject;
export type Vmim = VirtualMachineInstanceMigration & KubeObject;

export const VMS: ResourceType<Vm> = resourceTypeFor(virtualMachine);
export const VMIS: ResourceType<Vmi> = resourceTypeFor(virtualMachineInstance);
export const VMIMS: ResourceType<Vmim> = resourceTypeFor(virtualMachineInstanceMigration);
