import { conditions } from '#platform/schema/conditions';
import { defineKind, type InputOf, type ObjectOf } from '#platform/schema/kind';
import {
  boolean,
  choice,
  integer,
  list,
  number,
  object,
  quantity,
  required,
  string,
  timestamp,
} from '#platform/schema/schema';
import { smallDisks } from '../disk/small-disks.ts';
import { startFailure, stateChangeRequests } from '../kubevirt/virtual-machine-status.ts';
import { retainedInterfaces } from '../retained-interfaces.ts';
import { bandwidth } from './bandwidth.ts';
import { machineTemplate, templateRules } from './machine-template.ts';
import { requiredByRule } from './required-by-rule.ts';
import { machineUpdateStrategy } from './update-strategy.ts';

const spec = object(
  'The machine that is wanted.',
  {
    template: requiredByRule(machineTemplate),
    running: boolean('Whether the machine should run.', { default: true }),
    migrationPolicy: object(
      'How the machine may be moved to another node.',
      {
        allowLiveMigration: boolean('Whether the machine may be moved while it runs.', { default: true }),
        compression: boolean('Whether memory may be compressed on its way; no runtime does so yet.', { default: true }),
        encrypted: boolean(
          'Whether the transfer is encrypted; true is not served yet, and keeps the machine from starting.',
          {
            default: false,
          },
        ),
        bandwidth: bandwidth('Upper limit of the transfer, such as 1Gbps; no limit when left out.'),
      },
      { default: {} },
    ),
    snapshotPolicy: object(
      'Snapshots that are taken on their own. Not served yet: a machine that asks for it is not started.',
      {
        schedule: required(
          string('When a snapshot is taken: a cron expression of five fields, in UTC.', {
            minLength: 1,
            maxLength: 256,
          }),
        ),
        retention: integer('How many of these snapshots are kept; the oldest goes first.', {
          format: 'int32',
          minimum: 1,
          default: 7,
        }),
      },
    ),
    updateStrategy: machineUpdateStrategy,
  },
  { rules: templateRules({ image: 'required' }) },
);

const usage = (what: string) =>
  object(`${what} of the machine.`, {
    used: quantity('How much is in use.'),
    available: quantity('How much there is.'),
    percentage: number('How much of it is in use, in percent.', { minimum: 0 }),
  });

const status = object('What was last observed.', {
  observedGeneration: integer('Generation of the spec that this status is about.', { format: 'int64', minimum: 0 }),
  phase: choice('Where the machine is in its life.', ['Pending', 'Running', 'Migrating', 'Stopped', 'Failed']),
  nodeName: string('Node that the machine runs on.'),
  vmID: string('Identifier of the machine on its node.'),
  ipAddresses: list('Addresses of the machine, the first one foremost.', string('An address.')),
  resources: object(
    'How much of its resources the machine uses. It is measured when the machine begins to run and every five minutes, written where it has changed by more than a tenth of what there is, and of at most ten machines in a second; absent where nobody measures. What there is is what the running guest has. Of the root disk only its size is told.',
    { cpu: usage('CPUs'), memory: usage('Memory'), disk: usage('Root disk') },
  ),
  conditions: conditions(
    'Ready, LiveMigratable, Paused, DiskReady (where a disk is not as it should be), RestartRequired, Failure, LastShutdown (how the last run ended)',
  ),
  migration: object('The migration that is under way, or the last one.', {
    sourceNode: string('Node that the machine leaves.'),
    targetNode: string('Node that the machine moves to; empty when there is none.'),
    startTime: timestamp('When it began.', { nullable: true }),
    endTime: timestamp('When it ended.', { nullable: true }),
    progress: integer('How far it is, in percent.', { format: 'int32', minimum: 0, maximum: 100 }),
    state: string('The step it is in.'),
    message: string('Why it failed, if it did.'),
  }),
  snapshots: list(
    'Snapshots of the machine that its snapshotPolicy took; not served yet, and empty. VMSnapshots of the machine are listed by kubectl get vmsnapshot -o wide.',
    object('A snapshot.', {
      name: required(string('Name of the snapshot: snapshot- and the UTC time, as in snapshot-20240120-020000.')),
      createdAt: timestamp('When it was taken.'),
      size: quantity('What it occupies.'),
    }),
    { keys: ['name'] },
  ),
  lastUpdated: timestamp('When this status last changed.'),
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
  description: 'A virtual machine: its size, image, networks and disks, and how it is moved, snapshotted and updated.',
  spec,
  status,
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Where the machine is in its life.' },
    { name: 'Node', type: 'string', path: '.status.nodeName', description: 'Node that the machine runs on.' },
    { name: 'IP', type: 'string', path: '.status.ipAddresses[0]', description: 'First address of the machine.' },
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
