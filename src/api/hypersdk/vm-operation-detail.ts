import { boolean, object, string } from '#platform/schema/schema';
import { cpus, memory } from './size.ts';

/** Parameters of operations, one object for each operation that has any. */

const objectName = (description: string) => string(description, { minLength: 1, maxLength: 253 });

export const cloneSpec = object('How to clone; for operation clone.', {
  targetName: string('Name of the new machine.', { minLength: 1, maxLength: 63 }),
  targetNamespace: string(
    'Namespace of the new machine; that of the source when left out. Another than that of the operation must allow it: its annotation vimana.io/operations-from names that one among others, with commas, or is *.',
    { maxLength: 63 },
  ),
  linkedClone: boolean(
    'Whether the clone shares unchanged blocks with its source (fast, small) instead of copying them.',
    { default: false },
  ),
  startAfterClone: boolean('Whether the new machine is started at once.', { default: false }),
  snapshotRef: objectName('VMSnapshot of the machine to clone from; left out, its present state.'),
});

export const migrateSpec = object('How to move the machine; for operation migrate.', {
  targetNode: string('Node to move to; the scheduler decides when empty.', { maxLength: 253 }),
  live: boolean(
    'Whether the machine keeps running meanwhile; otherwise it is stopped and started, as machines of simulation.node-classifier.io always are.',
    { default: true },
  ),
  bandwidth: string('Limit for the transfer, such as 100Mbps; unlimited when left out.', {
    pattern: '^[0-9]+[KMG]?bps$',
    maxLength: 24,
  }),
  autoConverge: boolean('Whether the guest is slowed down when it changes memory faster than it can be sent.', {
    default: true,
  }),
  postCopy: boolean('Whether the machine may switch over early and fetch the rest of its memory afterwards.', {
    default: false,
  }),
});

export const resizeSpec = object('The new size; for operation resize. What is left out stays as it is.', {
  cpus,
  memory,
  hotplug: boolean(
    'Says that the running machine is meant. With it or without, the operation is over when the machine has what it can get while it runs; what it cannot get comes with its next start, and the message says RestartRequired.',
    { default: false },
  ),
});

export const snapshotSpec = object('How to take the snapshot; for operation snapshot.', {
  name: objectName('Name of the VMSnapshot; the name of the operation when left out.'),
  description: string('What the snapshot is for.', { maxLength: 1024 }),
  includeMemory: boolean('Whether memory is saved too, so that a restore resumes where the machine was.', {
    default: false,
  }),
  quiesce: boolean('Whether the guest agent flushes and freezes file systems first.', { default: true }),
});

export const restoreSpec = object('What to go back to; for operation restore.', {
  snapshotName: objectName('VMSnapshot of the machine, in its namespace.'),
});
