import { defineKind, type InputOf, type ObjectOf } from '#platform/schema/kind';
import { boolean, choice, required } from '#platform/schema/schema';
import { RUN_STRATEGIES } from './run-strategy.ts';
import { template } from './template.ts';
import { kubevirtObject } from './upstream.ts';
import { virtualMachineStatus } from './virtual-machine-status.ts';

const spec = kubevirtObject(
  'VirtualMachineSpec',
  'When the machine runs, and the instance that it runs as. Give either running or runStrategy.',
  {
    running: boolean('true keeps the machine running (as Always), false keeps it stopped (as Halted).'),
    runStrategy: choice(
      'Always: runs, and is started again whenever it ends. Halted: stopped. Manual: started and stopped on request only. RerunOnFailure: started once, and again only after a failure. Once: started once, and left as it ends.',
      RUN_STRATEGIES,
    ),
    template: required(template),
  },
  {
    rules: [
      {
        rule: '!has(self.running) || !has(self.runStrategy)',
        message: 'Running and RunStrategy are mutually exclusive',
        reason: 'FieldValueInvalid',
        fieldPath: '.running',
      },
      {
        rule: 'has(self.running) || has(self.runStrategy)',
        message: 'One of Running or RunStrategy must be specified',
        reason: 'FieldValueRequired',
        fieldPath: '.runStrategy',
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
    'A virtual machine that may be stopped and started again. While it runs, a VirtualMachineInstance of the same name stands for the run.',
  spec,
  status: virtualMachineStatus,
  columns: [
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since it was created.' },
    { name: 'Status', type: 'string', path: '.status.printableStatus', description: 'State in one word.' },
    {
      name: 'Ready',
      type: 'string',
      path: ".status.conditions[?(@.type=='Ready')].status",
      description: 'Whether it runs and is ready.',
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
