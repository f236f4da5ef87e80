import { conditions } from '#platform/schema/conditions';
import { boolean, choice, dateTime, integer, object, string } from '#platform/schema/schema';
import { observedGeneration } from './observed-generation.ts';

const count = (description: string) => integer(description, { format: 'int64', minimum: 0 });

const result = object('Result of the operation.', {
  targetVM: string('clone: name of the new VM.'),
  targetNamespace: string('clone: namespace of the new VM.'),
  sourceSnapshot: string('clone: snapshot that the new VM was created from.'),
  sourceNode: string('migrate: source node.'),
  targetNode: string('migrate: target node.'),
  live: boolean('migrate: whether the VM was live-migrated.'),
  downtimeMs: count('migrate: downtime of the guest in milliseconds.'),
  transferredBytes: count('migrate: bytes sent between the nodes.'),
  oldCPUs: count('resize: virtual CPUs before.'),
  newCPUs: count('resize: virtual CPUs after.'),
  oldMemory: string('resize: memory before.'),
  newMemory: string('resize: memory after.'),
  hotplug: boolean('resize: whether the running VM was changed without a restart.'),
  snapshotName: string('snapshot, restore: the VMSnapshot.'),
  memoryResumed: boolean('restore of a snapshot with memory: whether the guest resumes instead of booting.'),
  includeMemory: boolean('snapshot: whether it includes memory.'),
});

/** Written before each step, so that a successor neither loses the step nor repeats it. */
const checkpoint = object('Progress record for the controller.', {
  step: string('Last step that was started.'),
  since: dateTime('When it was started.'),
  vmUID: string('UID of the VM when the operation started.'),
  instanceUID: string('UID of the instance that ran when the operation started.'),
  subjectUID: string('UID of the object that the operation created: migration, snapshot or clone.'),
  order: string('resourceVersion at which the operation was first seen, which orders operations of the same second.'),
  copies: string('clone: sources of its claims while it is in progress, by name, as JSON.'),
  startNow: boolean('Whether the VM is restarted without waiting for clean electricity.'),
  before: string('What to restore when the operation finishes or is cancelled, as JSON.'),
});

export const vmOperationStatus = object('Observed state of the operation.', {
  observedGeneration,
  phase: choice('Phase of the operation.', ['Pending', 'Running', 'Succeeded', 'Failed', 'Cancelled']),
  conditions: conditions('Succeeded, Failed, Cancelled'),
  progress: integer('Progress in percent.', { format: 'int32', minimum: 0, maximum: 100 }),
  startTime: dateTime('When the operation started.'),
  completionTime: dateTime('When the operation succeeded, failed or was cancelled.'),
  message: string('Current activity, or the reason of a failure.'),
  result,
  checkpoint,
});
