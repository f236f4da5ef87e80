import { conditions } from '#platform/schema/conditions';
import type { InputOf, ObjectOf } from '#platform/schema/kind';
import { defineKind } from '#platform/schema/kind';
import { boolean, choice, integer, list, object, required, string, timestamp } from '#platform/schema/schema';
import { immutable } from './immutable.ts';
import { observedGeneration } from './observed-generation.ts';
import { vmRef } from './vm-reference.ts';

const count = (description: string) => integer(description, { format: 'int32', minimum: 1 });

const spec = object(
  'Which machine is saved, how, and for how long.',
  {
    vmRef: required(vmRef),
    includeMemory: boolean('Whether memory is saved too, so that a restore resumes where the machine was.', {
      default: false,
    }),
    quiesce: boolean('Whether the guest agent flushes and freezes file systems first.', { default: true }),
    description: string('What the snapshot is for.', { maxLength: 1024 }),
    retention: object('How long the snapshot is kept; for good when left out.', {
      keepDays: count('Days after its capture at which the snapshot expires.'),
      keepCount: count('The snapshot expires when so many newer ones of its machine can be restored.'),
      autoDelete: boolean('Whether an expired snapshot is deleted; otherwise it stays, marked Expired.', {
        default: true,
      }),
      expiresAt: timestamp('When the snapshot expires; wins over keepDays.'),
    }),
    destination: object(
      'Where the snapshot is kept; beside the disks when left out, and nowhere else yet: others fail.',
      {
        storageClass: string('StorageClass for the saved disks; that of the disks when left out.', { maxLength: 253 }),
        location: string('s3://bucket/prefix or local:///directory to copy the snapshot to.', { maxLength: 2048 }),
      },
    ),
  },
  {
    rules: ['vmRef', 'includeMemory', 'quiesce', 'destination'].map((field) =>
      immutable(field, `${field} cannot be changed: create another VMSnapshot`),
    ),
  },
);

const ancestor = object('A snapshot that was there before.', {
  name: required(string('Name of the VMSnapshot.')),
  uid: required(string('UID of the VMSnapshot.')),
});

const savedDisk = object('A disk as it was when captured.', {
  name: required(string('Name of the disk in the machine.')),
  claim: required(string('PersistentVolumeClaim that holds the disk.')),
  sizeBytes: integer('Bytes that differ from the parent snapshot.', { format: 'int64', minimum: 0 }),
  contents: string('What was on a simulated disk, as JSON.'),
  volumeSnapshot: string('VolumeSnapshot that holds what was on the disk, where the cluster makes them.'),
});

const restore = object('The restore of this snapshot that is under way, or the last one.', {
  uid: required(string('Of the request, as annotation vimana.io/restore of the machine has it.')),
  nodeName: string('Node whose agent restores the disks.'),
  startTime: timestamp('When it was begun.'),
  claims: string('Claims that are made anew from VolumeSnapshots, as JSON.'),
  completed: boolean('Whether all disks hold what was captured.'),
  failure: string('Why it failed.'),
});

const status = object('What is known of the snapshot.', {
  observedGeneration,
  phase: choice('Where the snapshot is in its life; Pending for ten minutes at most while its machine is not there.', [
    'Pending',
    'Creating',
    'Ready',
    'Failed',
    'Deleting',
    'Expired',
  ]),
  conditions: conditions('Ready, Failed, Quiesced'),
  size: string('Size of the snapshot for people, such as 3.2Gi.'),
  sizeBytes: integer('Size of the snapshot in bytes.', { format: 'int64', minimum: 0 }),
  creationTime: timestamp('When the state was captured.'),
  readyToRestore: boolean('Whether a machine can be restored from it.'),
  backingFiles: list('Files or claims that hold the snapshot.', string('A file or claim.')),
  vmState: object('The machine as it was when captured.', {
    cpus: integer('Virtual CPUs.', { format: 'int32' }),
    memory: string('Memory.'),
    diskCount: integer('Number of disks that are kept.', { format: 'int32', minimum: 0 }),
    running: boolean('Whether it was running.'),
  }),
  parentSnapshot: string('Snapshot that this one builds on.'),
  snapshotChain: list('Snapshots that this one builds on, oldest first.', string('Name of a VMSnapshot.')),
  nodeName: string('Node whose agent captures the state.'),
  vmUID: string('UID of the machine that is captured.'),
  instanceUID: string('UID of the run of the machine that is captured; absent where it was off.'),
  startTime: timestamp('When capturing began.'),
  disks: list('The disks as they were when captured.', savedDisk),
  includesMemory: boolean(
    'Whether memory is in it; of a machine that was off there was none to save, whatever spec asks for.',
  ),
  memoryBytes: integer('Bytes of memory that were saved.', { format: 'int64', minimum: 0 }),
  guestState: string('What a simulated guest had in memory, as JSON.'),
  ancestors: list('Snapshots that came before on the same disks, oldest first, deleted ones included.', ancestor),
  branch: string('UID of the restore that the disks had last gone through; absent where there was none.'),
  ordinal: integer('Which snapshot of its machine this is, counted from 1.', { format: 'int32', minimum: 1 }),
  restore,
});

export const vmSnapshot = defineKind({
  group: 'hypersdk.io',
  versions: ['v1alpha1'],
  kind: 'VMSnapshot',
  plural: 'vmsnapshots',
  shortNames: ['vmsnap', 'vmsnaps'],
  description: 'The state of a virtual machine at one moment, to go back to.',
  spec,
  status,
  columns: [
    { name: 'VM', type: 'string', path: '.spec.vmRef.name', description: 'The machine.' },
    { name: 'Status', type: 'string', path: '.status.phase', description: 'Where the snapshot is in its life.' },
    { name: 'Size', type: 'string', path: '.status.size', description: 'Size of the snapshot.' },
    { name: 'Memory', type: 'boolean', path: '.status.includesMemory', description: 'Whether memory is in it.' },
    { name: 'Ready', type: 'boolean', path: '.status.readyToRestore', description: 'Whether it can be restored.' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
    {
      name: 'Group',
      type: 'string',
      path: '.spec.vmRef.apiGroup',
      description: 'API group of the machine; hypersdk.io where empty.',
      wide: true,
    },
  ],
  example: {
    name: 'web-before-upgrade',
    spec: { vmRef: { name: 'web' }, description: 'Before the upgrade', retention: { keepDays: 14 } },
  },
});

export type VMSnapshot = ObjectOf<typeof vmSnapshot>;
export type VMSnapshotInput = InputOf<typeof vmSnapshot>;
