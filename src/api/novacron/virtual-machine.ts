import { conditions } from '#platform/schema/conditions';
import { defineKind, type InputOf, type ObjectOf } from '#platform/schema/kind';
import {
  boolean,
  choice,
  dateTime,
  integer,
  list,
  number,
  object,
  quantity,
  requiredField,
  string,
} from '#platform/schema/schema';
import { smallDisks } from '../disk/small-disks.ts';
import { startFailure, stateChangeRequests } from '../kubevirt/virtual-machine-status.ts';
import { retainedInterfaces } from '../retained-interfaces.ts';
import { bandwidth } from './bandwidth.ts';
import { machineTemplate, templateRules } from './machine-template.ts';
import { requiredByRule } from './required-by-rule.ts';
import { machineUpdateStrategy } from './update-strategy.ts';

const spec = object(
  'Desired state of the VM.',
  {
    template: requiredByRule(machineTemplate),
    running: boolean('Whether the VM should run.', { default: true }),
    migrationPolicy: object(
      'How the VM may be migrated to another node.',
      {
        allowLiveMigration: boolean('Whether the VM may be live-migrated.', { default: true }),
        compression: boolean('Whether memory may be compressed during the transfer. Not supported yet.', {
          default: true,
        }),
        encrypted: boolean(
          'Whether the transfer is encrypted; true is not supported yet: a VM that uses it is not started.',
          {
            default: false,
          },
        ),
        bandwidth: bandwidth('Bandwidth limit of the transfer, such as 1Gbps. Unlimited if not set.'),
      },
      { default: {} },
    ),
    snapshotPolicy: object('Scheduled snapshots. Not supported yet: a VM that uses them is not started.', {
      schedule: requiredField(
        string('When a snapshot is taken: a cron expression of five fields, in UTC.', {
          minLength: 1,
          maxLength: 256,
        }),
      ),
      retention: integer('How many of these snapshots are kept; the oldest is deleted first.', {
        format: 'int32',
        minimum: 1,
        default: 7,
      }),
    }),
    updateStrategy: machineUpdateStrategy,
  },
  { rules: templateRules({ image: 'required' }) },
);

const usage = (what: string) =>
  object(`${what} of the VM.`, {
    used: quantity('Amount in use.'),
    available: quantity('Total amount.'),
    percentage: number('Utilization in percent.', { minimum: 0 }),
  });

const status = object('Observed state of the VM.', {
  observedGeneration: integer('Generation of the spec that this status describes.', { format: 'int64', minimum: 0 }),
  phase: choice('Lifecycle phase of the VM.', ['Pending', 'Running', 'Migrating', 'Stopped', 'Failed']),
  nodeName: string('Node that the VM runs on.'),
  vmID: string('Identifier of the VM on its node.'),
  ipAddresses: list('Addresses of the VM, the primary one first.', string('An address.')),
  resources: object(
    'Resource usage of the VM. It is measured when the VM starts and every five minutes, and written for at most ten VMs per second if it has changed by more than a tenth of the total. Absent without measurements. Totals are those of the running guest. For the root disk, only its size is reported.',
    { cpu: usage('CPUs'), memory: usage('Memory'), disk: usage('Root disk') },
  ),
  conditions: conditions(
    'Ready, LiveMigratable, Paused, DiskReady (if a disk has a problem), RestartRequired, Failure, LastShutdown (how the last run ended)',
  ),
  migration: object('The migration in progress, or the last one.', {
    sourceNode: string('Source node.'),
    targetNode: string('Target node; empty if there is none.'),
    startTime: dateTime('When it started.', { nullable: true }),
    endTime: dateTime('When it ended.', { nullable: true }),
    progress: integer('Progress in percent.', { format: 'int32', minimum: 0, maximum: 100 }),
    state: string('Current step.'),
    message: string('Why it failed, if it did.'),
  }),
  snapshots: list(
    'Snapshots that the snapshotPolicy has taken. Not supported yet, and empty. To list VMSnapshots of the VM: kubectl get vmsnapshot -o wide.',
    object('A snapshot.', {
      name: requiredField(string('Name of the snapshot: snapshot- and the UTC time, as in snapshot-20240120-020000.')),
      createdAt: dateTime('When it was taken.'),
      size: quantity('Size of the snapshot.'),
    }),
    { keys: ['name'] },
  ),
  lastUpdated: dateTime('When this status last changed.'),
  smallDisks,
  interfaces: retainedInterfaces,
  stateChangeRequests,
  startFailure,
});

export const virtualMachine = defineKind({
  group: 'novacron.io',
  versions: ['v1alpha1'],
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  shortNames: ['vm', 'vms'],
  description:
    'A virtual machine: its size, image, networks and disks, and how it is migrated, snapshotted and updated.',
  spec,
  status,
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Lifecycle phase of the VM.' },
    { name: 'Node', type: 'string', path: '.status.nodeName', description: 'Node that the VM runs on.' },
    { name: 'IP', type: 'string', path: '.status.ipAddresses[0]', description: 'First address of the VM.' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
  ],
  example: {
    name: 'web-1',
    spec: {
      template: {
        spec: {
          resources: { cpu: 2, memory: '4Gi' },
          image: { source: 'marketplace://debian-12' },
        },
      },
    },
  },
});

export type VirtualMachine = ObjectOf<typeof virtualMachine>;
export type VirtualMachineInput = InputOf<typeof virtualMachine>;
