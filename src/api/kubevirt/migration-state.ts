import { boolean, choice, dateTime, integer, string } from '#platform/schema/schema';
import { kubevirtStatus } from './upstream.ts';

/** Progress of a live migration, shared by the status of the instance and of the migration. */
export const migrationState = kubevirtStatus(
  'VirtualMachineInstanceMigrationState',
  'The migration in progress, or the last one.',
  {
    migrationUid: string('UID of the VirtualMachineInstanceMigration.'),
    sourceNode: string('Source node.'),
    targetNode: string('Target node.'),
    sourcePod: string('Source pod.'),
    targetPod: string('Target pod.'),
    targetNodeAddress: string('Address at which the target node listens.'),
    targetNodeDomainDetected: boolean('Whether the VM was detected on the target node.'),
    startTimestamp: dateTime('When the transfer began.', { nullable: true }),
    endTimestamp: dateTime('When the transfer ended.', { nullable: true }),
    mode: choice('How memory is transferred.', ['PreCopy', 'PostCopy', 'Paused']),
    totalBytes: integer('Bytes of memory that have to be sent at least once.', { format: 'int64', minimum: 0 }),
    transferredBytes: integer('Bytes that were sent in all.', { format: 'int64', minimum: 0 }),
    downtimeMs: integer('Downtime of the guest in milliseconds.', { format: 'int64', minimum: 0 }),
    expectedEndTimestamp: dateTime('Estimated end of the transfer. Absent if it does not converge.', {
      nullable: true,
    }),
    completed: boolean('Whether it is finished.'),
    failed: boolean('Whether it failed.'),
    failureReason: string('Why it failed.'),
    abortRequested: boolean('Whether an abort was requested.'),
    abortStatus: choice('Status of the abort.', ['Aborting', 'Succeeded', 'Failed']),
  },
);
