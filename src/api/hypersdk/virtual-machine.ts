import type { InputOf, ObjectOf } from '#platform/schema/kind';
import { defineKind } from '#platform/schema/kind';
import { virtualMachineSpec } from './virtual-machine-spec.ts';
import { virtualMachineStatus } from './virtual-machine-status.ts';

export const virtualMachine = defineKind({
  group: 'hypersdk.io',
  versions: ['v1alpha1'],
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  shortNames: ['vm', 'vms'],
  description: 'A virtual machine with its disks, networks and image, with or without a template.',
  spec: virtualMachineSpec,
  status: virtualMachineStatus,
  columns: [
    { name: 'Status', type: 'string', path: '.status.phase', description: 'Lifecycle phase of the VM.' },
    { name: 'CPUs', type: 'integer', path: '.spec.cpus', description: 'Number of virtual CPUs.' },
    { name: 'Memory', type: 'string', path: '.spec.memory', description: 'Memory of the guest.' },
    { name: 'Node', type: 'string', path: '.status.nodeName', description: 'Node that the VM runs on.' },
    { name: 'IPs', type: 'string', path: '.status.ipAddresses[0]', description: 'First IP address of the VM.' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
  ],
  example: {
    name: 'web',
    spec: {
      cpus: 2,
      memory: '4Gi',
      image: { source: 'https://images.example.org/debian-12.qcow2' },
      disks: [{ name: 'root', size: '20Gi', bootOrder: 1 }],
      networks: [{ name: 'default' }],
    },
  },
});

export type VirtualMachine = ObjectOf<typeof virtualMachine>;
export type VirtualMachineInput = InputOf<typeof virtualMachine>;
