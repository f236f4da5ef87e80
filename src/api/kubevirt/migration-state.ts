import { boolean, choice, integer, string, timestamp } from '#platform/schema/schema';
import { kubevirtStatus } from './upstream.ts';

/** Progress of a live migration, shared by the status of the instance and of the migration. */
export const migrationState = kubevirtStatus(
  'VirtualMachineInstanceMigrationState',
  'The migration that is under way, or the last one.',
  {
    migrationUid: string('UID of the VirtualMachineInstanceMigration.'),
    sourceNode: string('Node that the machine leaves.'),
    targetNode: string('Node that the machine goes to.'),
    sourcePod: string('Pod that the machine leaves.'),
    targetPod: string('Pod that the machine goes to.'),
    targetNodeAddress: string('Address at which the target node listens.'),
    targetNodeDomainDetected: boolean('Whether the machine was seen on the target node.'),
    startTimestamp: timestamp('When the transfer began.', { nullable: true }),
    endTimestamp: timestamp('When the transfer ended.', { nullable: true }),
    mode: choice('How memory is transferred.', ['PreCopy', 'PostCopy', 'Paused']),
    totalBytes: integer('Bytes of memory that have to be sent at least once.', { format: 'int64', minimum: 0 }),
    transferredBytes: integer('Bytes that were sent in all.', { format: 'int64', minimum: 0 }),
    downtimeMs: integer('Milliseconds that the guest stood still.', { format: 'int64', minimum: 0 }),
    expectedEndTimestamp: timestamp(
      'When the transfer ends if nothing changes; absent where it comes no nearer to its end.',
      {
        nullable: true,
      },
    ),
    completed: boolean('Whether it is over.'),
    failed: boolean('Whether it failed.'),
    failureReason: string('Why it failed.'),
    abortRequested: boolean('Whether somebody asked to give it up.'),
    abortStatus: choice('How giving it up went.', ['Aborting', 'Succeeded', 'Failed']),
  },
);
