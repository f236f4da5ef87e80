import type { VirtualMachine, VirtualMachineInput } from '#api/hypersdk/virtual-machine';
import type { ObservedVm } from '#vm/engine/dialect';
import { type InstanceTraits, instanceLike, NOW, recordedState, vmMetadata } from '#vm/engine/instance.fixture';
import type { ClaimState, VmDependencies } from '#vm/engine/vm-dependencies';
import { hypersdk } from './dialect.ts';

export type Status = NonNullable<VirtualMachine['status']>;
export type Dependencies = Partial<Omit<VmDependencies, 'referenceNode'>>;
export type SpecInput = Partial<VirtualMachineInput['spec']>;

const REFERENCE = { referenceNode: { cpu: '32', memory: '128Gi' } };
export const DISK = { name: 'root', size: '20Gi', storageClass: 'standard', type: 'disk' } as const;

export const vmLike = (spec: SpecInput = {}, status?: Status): VirtualMachine =>
  ({
    apiVersion: 'hypersdk.io/v1alpha1',
    kind: 'VirtualMachine',
    metadata: vmMetadata(),
    spec: { cpus: 4, memory: '8Gi', running: true, machineType: 'q35', ...spec },
    ...(status === undefined ? {} : { status }),
  }) as VirtualMachine;

export const desiredVm = (spec: SpecInput = {}, dependencies: Dependencies = {}) =>
  hypersdk.desiredVm(vmLike(spec), { ...REFERENCE, ...dependencies });

export const report = (
  vm: VirtualMachine,
  looks?: InstanceTraits,
  more: Partial<ObservedVm> = {},
  dependencies: Dependencies = {},
) =>
  hypersdk.report(
    vm,
    { instance: looks && instanceLike(looks), recorded: recordedState(), restartRequired: [], now: NOW, ...more },
    { ...REFERENCE, ...dependencies },
  ) as Status;

/** Returns the states of claims by disk. */
export const claims = (...views: ClaimState[]) => ({
  claims: new Map(views.map((each) => [each.name.slice('web-'.length), each])),
});
