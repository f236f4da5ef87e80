import { conditions } from '#platform/schema/conditions';
import { boolean, choice, integer, object, string, timestamp } from '#platform/schema/schema';
import { observedGeneration } from './observed-generation.ts';

const count = (description: string) => integer(description, { format: 'int64', minimum: 0 });

const result = object('What came out, by operation.', {
  targetVM: string('clone: name of the new machine.'),
  targetNamespace: string('clone: namespace of the new machine.'),
  sourceSnapshot: string('clone: snapshot that the new machine was made from.'),
  sourceNode: string('migrate: node that the machine left.'),
  targetNode: string('migrate: node that the machine runs on now.'),
  live: boolean('migrate: whether the machine kept running.'),
  downtimeMs: count('migrate: milliseconds for which the guest stood still.'),
  transferredBytes: count('migrate: bytes sent between the nodes.'),
  oldCPUs: count('resize: virtual CPUs before.'),
  newCPUs: count('resize: virtual CPUs after.'),
  oldMemory: string('resize: memory before.'),
  newMemory: string('resize: memory after.'),
  hotplug: boolean('resize: whether the running machine was changed without a restart.'),
  snapshotName: string('snapshot, restore: the VMSnapshot.'),
  memoryResumed: boolean(
    'restore of a snapshot with memory: whether the machine goes on where it was, and is not booted.',
  ),
  includeMemory: boolean('snapshot: whether memory is in it.'),
});

/** Written before each step, so that a successor neither loses the step nor repeats it. */
const checkpoint = object('What has been begun; for the controller.', {
  step: string('The step that was begun last.'),
  since: timestamp('When it was begun.'),
  vmUID: string('UID of the machine that the operation began with.'),
  instanceUID: string('UID of the instance that ran when the operation began.'),
  subjectUID: string('UID of the object that was made for the operation: migration, snapshot or clone.'),
  order: string('resourceVersion at which the operation was first seen: its place among those of the same second.'),
  copies: string('clone: what its claims are copies of while it is under way, by name, as JSON.'),
  startNow: boolean('Whether the machine is started again without waiting for clean electricity.'),
  before: string('What is put back when the operation is over or given up, as JSON.'),
});

export const vmOperationStatus = object('How far the operation is.', {
  observedGeneration,
  phase: choice('Where the operation is in its life.', ['Pending', 'Running', 'Succeeded', 'Failed', 'Cancelled']),
  conditions: conditions('Succeeded, Failed, Cancelled'),
  progress: integer('Progress in per cent.', { format: 'int32', minimum: 0, maximum: 100 }),
  startTime: timestamp('When the work began.'),
  completionTime: timestamp('When the operation succeeded, failed or was cancelled.'),
  message: string('What is going on, or what went wrong.'),
  result,
  checkpoint,
});
