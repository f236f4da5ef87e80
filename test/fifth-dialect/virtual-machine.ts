import { startFailure, stateChangeRequests } from '#api/kubevirt/virtual-machine-status';
import { conditions } from '#platform/schema/conditions';
import { defineKind, type ObjectOf } from '#platform/schema/kind';
import { boolean, choice, integer, object, quantity, requiredField, string } from '#platform/schema/schema';

export const PHASES = ['Pending', 'Running', 'Stopped'] as const;

/** The VM of a group that exists only in this test. */
export const virtualMachine = defineKind({
  group: 'example.org',
  versions: ['v1'],
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  shortNames: ['vm'],
  description: 'A virtual machine of a fifth group.',
  spec: object('Desired state of the VM.', {
    cores: requiredField(integer('Number of CPUs.', { minimum: 1 })),
    ram: requiredField(quantity('Memory of the guest.')),
    running: boolean('Whether the VM should run.', { default: true }),
  }),
  status: object('What was last observed.', {
    observedGeneration: integer('Generation of the spec that this status is about.', { format: 'int64', minimum: 0 }),
    phase: choice('State of the VM.', PHASES),
    nodeName: string('Node that the VM runs on.'),
    conditions: conditions('Ready'),
    stateChangeRequests,
    startFailure,
  }),
  columns: [{ name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' }],
  example: { name: 'web', spec: { cores: 1, ram: '512Mi' } },
});

export type VirtualMachine = ObjectOf<typeof virtualMachine>;
