import { defineKind, type InputOf, type ObjectOf } from '#platform/schema/kind';
import { boolean, choice, requiredField } from '#platform/schema/schema';
import { RUN_STRATEGIES } from './run-strategy.ts';
import { template } from './template.ts';
import { kubevirtObject } from './upstream.ts';
import { virtualMachineStatus } from './virtual-machine-status.ts';

const spec = kubevirtObject(
  'VirtualMachineSpec',
  'When the VM runs, and the template of its instance. Set either running or runStrategy.',
  {
    running: boolean(
      'Deprecated, use runStrategy instead. true keeps the VM running (as Always), false keeps it stopped (as Halted).',
    ),
    runStrategy: choice(
      'Always: runs, and is restarted whenever it ends. Halted: stopped. Manual: started and stopped only on request. RerunOnFailure: started once, and restarted only after a failure. Once: started once, and never restarted.',
      RUN_STRATEGIES,
    ),
    template: requiredField(template),
  },
  {
    rules: [
      {
        rule: '!has(self.running) || !has(self.runStrategy)',
        message:
          'Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead',
        reason: 'FieldValueInvalid',
        fieldPath: '.running',
      },
      {
        rule: 'has(self.running) || has(self.runStrategy)',
        message: 'RunStrategy must be specified',
        reason: 'FieldValueInvalid',
        fieldPath: '.running',
      },
    ],
  },
);

/** VM that can be stopped and started again, with KubeVirt's API. */
export const virtualMachine = defineKind({
  group: 'kubevirt.io',
  versions: ['v1', 'v1alpha3', 'v1alpha2'],
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  shortNames: ['vm', 'vms'],
  description:
    'A virtual machine that can be stopped and started. While it runs, it has a VirtualMachineInstance of the same name.',
  spec,
  status: virtualMachineStatus,
  columns: [
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since it was created.' },
    { name: 'Status', type: 'string', path: '.status.printableStatus', description: 'State as one word.' },
    {
      name: 'Ready',
      type: 'string',
      path: ".status.conditions[?(@.type=='Ready')].status",
      description: 'Whether it is running and ready.',
    },
  ],
  example: {
    name: 'web',
    spec: {
      runStrategy: 'Always',
      template: {
        spec: {
          domain: {
            cpu: { cores: 2 },
            memory: { guest: '2Gi' },
            devices: {
              disks: [{ name: 'root', disk: { bus: 'virtio' } }],
              interfaces: [{ name: 'default', masquerade: {} }],
            },
          },
          networks: [{ name: 'default', pod: {} }],
          volumes: [{ name: 'root', containerDisk: { image: 'quay.io/containerdisks/fedora:latest' } }],
        },
      },
    },
  },
});

export type VirtualMachine = ObjectOf<typeof virtualMachine>;
export type VirtualMachineInput = InputOf<typeof virtualMachine>;
