import { defineKind, type InputOf, type ObjectOf } from '#platform/schema/kind';
import { instanceSpec } from './instance-spec.ts';
import { virtualMachineInstanceStatus } from './virtual-machine-instance-status.ts';

const condition = (type: string) => `.status.conditions[?(@.type=='${type}')].status`;

/** One run of a VM. It exists as long as the run. */
export const virtualMachineInstance = defineKind({
  group: 'kubevirt.io',
  versions: ['v1', 'v1alpha3', 'v1alpha2'],
  kind: 'VirtualMachineInstance',
  plural: 'virtualmachineinstances',
  shortNames: ['vmi', 'vmis'],
  description:
    'One run of a virtual machine. Created by a VirtualMachine, or on its own for a VM that is not restarted.',
  spec: instanceSpec,
  status: virtualMachineInstanceStatus,
  columns: [
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since it was created.' },
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Lifecycle phase.' },
    { name: 'IP', type: 'string', path: '.status.interfaces[0].ipAddress', description: 'First address.' },
    { name: 'NodeName', type: 'string', path: '.status.nodeName', description: 'Node that it runs on.' },
    { name: 'Ready', type: 'string', path: condition('Ready'), description: 'Whether it is ready.' },
    {
      name: 'Live-Migratable',
      type: 'string',
      path: condition('LiveMigratable'),
      description: 'Whether it can be live-migrated.',
      wide: true,
    },
    { name: 'Paused', type: 'string', path: condition('Paused'), description: 'Whether it is paused.', wide: true },
  ],
  example: {
    name: 'scratch',
    spec: {
      domain: {
        memory: { guest: '512Mi' },
        devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] },
      },
      volumes: [{ name: 'root', containerDisk: { image: 'quay.io/containerdisks/alpine:latest' } }],
    },
  },
});

export type VirtualMachineInstance = ObjectOf<typeof virtualMachineInstance>;
export type VirtualMachineInstanceInput = InputOf<typeof virtualMachineInstance>;
export type InstanceSpec = VirtualMachineInstance['spec'];
export type InstanceStatus = NonNullable<VirtualMachineInstance['status']>;
