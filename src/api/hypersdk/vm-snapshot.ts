import { conditions } from '#platform/schema/conditions';
import type { InputOf, ObjectOf } from '#platform/schema/kind';
import { defineKind } from '#platform/schema/kind';
import { boolean, choice, dateTime, integer, list, object, requiredField, string } from '#platform/schema/schema';
import { immutable } from './immutable.ts';
import { observedGeneration } from './observed-generation.ts';
import { vmRef } from './vm-reference.ts';

const count = (description: string) => integer(description, { format: 'int32', minimum: 1 });

const spec = object(
  'VM to capture, how to capture it, and how long to keep the snapshot.',
  {
    vmRef: requiredField(vmRef),
    includeMemory: boolean('Whether memory is saved too, so that a restore resumes the guest.', {
      default: false,
    }),
    quiesce: boolean('Whether the guest agent flushes and freezes file systems first.', { default: true }),
    description: string('Description of the snapshot.', { maxLength: 1024 }),
    retention: object('How long the snapshot is kept. Forever if not set.', {
      keepDays: count('Days after its capture at which the snapshot expires.'),
      keepCount: count('The snapshot expires once this many newer ones of its VM can be restored.'),
      autoDelete: boolean('Whether an expired snapshot is deleted; otherwise it stays, marked Expired.', {
        default: true,
      }),
      expiresAt: dateTime('When the snapshot expires. Takes precedence over keepDays.'),
    }),
    destination: object(
      'Where the snapshot is stored. Only the default, next to the disks, is supported yet: other destinations fail.',
      {
        storageClass: string('StorageClass for the saved disks. Defaults to that of the disks.', { maxLength: 253 }),
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

const ancestor = object('An earlier snapshot.', {
  name: requiredField(string('Name of the VMSnapshot.')),
  uid: requiredField(string('UID of the VMSnapshot.')),
});

const savedDisk = object('A disk as it was when captured.', {
  name: requiredField(string('Name of the disk in the VM.')),
  claim: requiredField(string('PersistentVolumeClaim of the disk.')),
  sizeBytes: integer('Bytes that differ from the parent snapshot.', { format: 'int64', minimum: 0 }),
  contents: string('Contents of a simulated disk, as JSON.'),
  volumeSnapshot: string('VolumeSnapshot with the contents of the disk, if the cluster supports them.'),
});

const restore = object('The restore of this snapshot in progress, or the last one.', {
  uid: requiredField(string('UID of the request, as in the annotation vimana.io/restore of the VM.')),
  nodeName: string('Node whose node agent restores the disks.'),
  startTime: dateTime('When it started.'),
  claims: string('Claims that are recreated from VolumeSnapshots, as JSON.'),
  completed: boolean('Whether all disks are restored.'),
  failure: string('Why it failed.'),
});

const status = object('Observed state of the snapshot.', {
  observedGeneration,
  phase: choice('Phase of the snapshot. Pending for at most ten minutes while its VM does not exist.', [
    'Pending',
    'Creating',
    'Ready',
    'Failed',
    'Deleting',
    'Expired',
  ]),
  conditions: conditions('Ready, Failed, Quiesced'),
  size: string('Human-readable size of the snapshot, such as 3.2Gi.'),
  sizeBytes: integer('Size of the snapshot in bytes.', { format: 'int64', minimum: 0 }),
  creationTime: dateTime('When the state was captured.'),
  readyToRestore: boolean('Whether a VM can be restored from it.'),
  backingFiles: list('Files or claims that contain the snapshot.', string('A file or claim.')),
  vmState: object('The VM as it was when captured.', {
    cpus: integer('Virtual CPUs.', { format: 'int32' }),
    memory: string('Memory.'),
    diskCount: integer('Number of disks in the snapshot.', { format: 'int32', minimum: 0 }),
    running: boolean('Whether it was running.'),
  }),
  parentSnapshot: string('Snapshot that this one builds on.'),
  snapshotChain: list('Snapshots that this one builds on, oldest first.', string('Name of a VMSnapshot.')),
  nodeName: string('Node whose node agent captures the state.'),
  vmUID: string('UID of the captured VM.'),
  instanceUID: string('UID of the captured VirtualMachineInstance. Absent if the VM was stopped.'),
  startTime: dateTime('When the capture started.'),
  disks: list('The disks as they were when captured.', savedDisk),
  includesMemory: boolean('Whether it includes memory. Always false if the VM was stopped.'),
  memoryBytes: integer('Bytes of memory that were saved.', { format: 'int64', minimum: 0 }),
  guestState: string('Memory contents of a simulated guest, as JSON.'),
  ancestors: list('Earlier snapshots of the same disks, oldest first, including deleted ones.', ancestor),
  branch: string('UID of the last restore of the disks. Absent if there was none.'),
  ordinal: integer('Number of this snapshot of its VM, starting at 1.', { format: 'int32', minimum: 1 }),
  restore,
});

export const vmSnapshot = defineKind({
  group: 'hypersdk.io',
  versions: ['v1alpha1'],
  kind: 'VMSnapshot',
  plural: 'vmsnapshots',
  shortNames: ['vmsnap', 'vmsnaps'],
  description: 'The state of a virtual machine at a point in time, which can be restored.',
  spec,
  status,
  columns: [
    { name: 'VM', type: 'string', path: '.spec.vmRef.name', description: 'The VM.' },
    { name: 'Status', type: 'string', path: '.status.phase', description: 'Phase of the snapshot.' },
    { name: 'Size', type: 'string', path: '.status.size', description: 'Size of the snapshot.' },
    { name: 'Memory', type: 'boolean', path: '.status.includesMemory', description: 'Whether it includes memory.' },
    { name: 'Ready', type: 'boolean', path: '.status.readyToRestore', description: 'Whether it can be restored.' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
    {
      name: 'Group',
      type: 'string',
      path: '.spec.vmRef.apiGroup',
      description: 'API group of the VM. Defaults to hypersdk.io.',
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
