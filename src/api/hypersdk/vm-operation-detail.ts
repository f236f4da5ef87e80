import { boolean, object, string } from '#platform/schema/schema';
import { cpus, hypersdkMemory } from './size.ts';

/** Parameters of operations, one object for each operation that has any. */

const objectName = (description: string) => string(description, { minLength: 1, maxLength: 253 });

export const cloneSpec = object('How to clone; for operation clone.', {
  targetName: string('Name of the new VM.', { minLength: 1, maxLength: 63 }),
  targetNamespace: string(
    'Namespace of the new VM. Defaults to that of the source. If it is not the namespace of the operation, it must allow it: its annotation vimana.io/operations-from must list that namespace (comma-separated) or be *.',
    { maxLength: 63 },
  ),
  linkedClone: boolean(
    'Whether the clone shares unchanged blocks with its source (fast, small) instead of copying them.',
    { default: false },
  ),
  startAfterClone: boolean('Whether the new VM is started.', { default: false }),
  snapshotRef: objectName('VMSnapshot of the VM to clone from. Defaults to its current state.'),
});

export const migrateSpec = object('How to migrate the VM; for operation migrate.', {
  targetNode: string('Target node. If empty, the scheduler chooses.', { maxLength: 253 }),
  live: boolean(
    'Whether the VM is live-migrated. Otherwise it is stopped and started, as VMs of simulation.node-classifier.io always are.',
    { default: true },
  ),
  bandwidth: string('Limit for the transfer, such as 100Mbps. Unlimited if not set.', {
    pattern: '^[0-9]+[KMG]?bps$',
    maxLength: 24,
  }),
  autoConverge: boolean('Whether the guest is throttled if it changes memory faster than it can be sent.', {
    default: true,
  }),
  postCopy: boolean(
    'Whether post-copy is allowed: the VM switches over early and fetches the rest of its memory afterwards.',
    {
      default: false,
    },
  ),
});

export const resizeSpec = object('New size; for operation resize. Fields that are not set do not change.', {
  cpus,
  memory: hypersdkMemory,
  hotplug: boolean(
    'Whether to resize the running VM. In either case, the operation finishes once the VM has what can be hot-plugged; the rest applies at its next start, and the message says RestartRequired.',
    { default: false },
  ),
});

export const snapshotSpec = object('How to take the snapshot; for operation snapshot.', {
  name: objectName('Name of the VMSnapshot. Defaults to the name of the operation.'),
  description: string('Description of the snapshot.', { maxLength: 1024 }),
  includeMemory: boolean('Whether memory is saved too, so that a restore resumes the guest.', {
    default: false,
  }),
  quiesce: boolean('Whether the guest agent flushes and freezes file systems first.', { default: true }),
});

export const restoreSpec = object('What to restore; for operation restore.', {
  snapshotName: objectName('VMSnapshot of the VM, in its namespace.'),
});
