import type { VirtualMachine, VirtualMachineInput } from '#api/hypersdk/virtual-machine';
import type { ObservedVm } from '#vm/engine/dialect';
import { type InstanceTraits, instanceLike, NOW, recordedState, vmMetadata } from '#vm/engine/instance.fixture';
import type { ClaimState, VmDependencies } from '#vm/engine/vm-dependencies';
import { hypersdk } from '../hypersdk.ts';

export type Status = NonNullable<VirtualMachine['status']>;
export type Around = Partial<Omit<VmDependencies, 'referenceNode'>>;
export type Written = Partial<VirtualMachineInput['spec']>;

const REFERENCE = { referenceNode: { cpu: '32', memory: '128Gi' } };
export const DISK = { name: 'root', size: '20Gi', storageClass: 'standard', type: 'disk' } as const;

export const machine = (spec: Written = {}, status?: Status): VirtualMachine =>
  ({
    apiVersion: 'hypersdk.io/v1alpha1',
    kind: 'VirtualMachine',
    metadata: vmMetadata(),
    spec: { cpus: 4, memory: '8Gi', running: true, machineType: 'q35', ...spec },
    ...(status === undefined ? {} : { status }),
  }) as VirtualMachine;

export const desired = (spec: Written = {}, around: Around = {}) =>
  hypersdk.desiredVm(machine(spec), { ...REFERENCE, ...around });

export const report = (
  vm: VirtualMachine,
  looks?: InstanceTraits,
  more: Partial<ObservedVm> = {},
  around: Around = {},
) =>
  hypersdk.report(
    vm,
    { instance: looks && instanceLike(looks), recorded: recordedState(), restartRequired: [], now: NOW, ...more },
    { ...REFERENCE, ...around },
  ) as Status;

/** What is seen of claims, by their disks. */
export const claims = (...sights: ClaimState[]) => ({
  claims: new Map(sights.map((each) => [each.name.slice('web-'.length), each])),
});
