import type { VirtualMachine, VirtualMachineInput } from '#api/hypersdk/virtual-machine';
import type { ObservedMachine } from '#vm/engine/dialect';
import { instanceLike, type Looks, machineMetadata, memory, NOW } from '#vm/engine/instance.fixture';
import type { ClaimSight, Surroundings } from '#vm/engine/surroundings';
import { hypersdk } from '../hypersdk.ts';

export type Status = NonNullable<VirtualMachine['status']>;
export type Around = Partial<Omit<Surroundings, 'referenceNode'>>;
export type Written = Partial<VirtualMachineInput['spec']>;

const REFERENCE = { referenceNode: { cpu: '32', memory: '128Gi' } };
export const DISK = { name: 'root', size: '20Gi', storageClass: 'standard', type: 'disk' } as const;

export const machine = (spec: Written = {}, status?: Status): VirtualMachine =>
  ({
    apiVersion: 'hypersdk.io/v1alpha1',
    kind: 'VirtualMachine',
    metadata: machineMetadata(),
    spec: { cpus: 4, memory: '8Gi', running: true, machineType: 'q35', ...spec },
    ...(status === undefined ? {} : { status }),
  }) as VirtualMachine;

export const desired = (spec: Written = {}, around: Around = {}) =>
  hypersdk.desired(machine(spec), { ...REFERENCE, ...around });

export const report = (vm: VirtualMachine, looks?: Looks, more: Partial<ObservedMachine> = {}, around: Around = {}) =>
  hypersdk.report(
    vm,
    { instance: looks && instanceLike(looks), memory: memory(), restartRequired: [], now: NOW, ...more },
    { ...REFERENCE, ...around },
  ) as Status;

/** What is seen of claims, by their disks. */
export const claims = (...sights: ClaimSight[]) => ({
  claims: new Map(sights.map((each) => [each.name.slice('web-'.length), each])),
});
