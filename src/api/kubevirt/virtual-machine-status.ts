import { conditions } from '#platform/schema/conditions';
import { boolean, choice, integer, list, map, object, required, string, timestamp } from '#platform/schema/schema';
import { RUN_STRATEGIES } from './run-strategy.ts';
import { kubevirtStatus } from './upstream.ts';

/** Values that `kubectl get vm` shows. If several apply, the first in the order of the decision wins. */
export const PRINTABLE_STATUSES = [
  'Terminating',
  'Stopping',
  'Migrating',
  'Paused',
  'Running',
  'ErrorPvcNotFound',
  'DataVolumeError',
  'ErrorUnschedulable',
  'Provisioning',
  'WaitingForVolumeBinding',
  'ErrImagePull',
  'ImagePullBackOff',
  'Starting',
  'CrashLoopBackOff',
  'Stopped',
  'Unknown',
] as const;
export type PrintableStatus = (typeof PRINTABLE_STATUSES)[number];

const generation = (description: string) => integer(description, { format: 'int64', minimum: 0 });

const stateChangeRequest = object('A start or stop that was asked for and is not done yet.', {
  action: required(choice('What was asked for.', ['Start', 'Stop'])),
  data: map('Further data, such as how the machine is to start.', string('A value.')),
  uid: string('UID of the instance that is to be stopped.'),
});

export const stateChangeRequests = list('Starts and stops that wait to be done, in order.', stateChangeRequest);

export const startFailure = object('Instances that ended before they ran; starting is tried again later and later.', {
  consecutiveFailCount: integer('How many failed in a row.', { format: 'int32', minimum: 0 }),
  lastFailedVMIUID: string('UID of the last instance that failed.'),
  retryAfterTimestamp: timestamp('When the next start is tried.', { nullable: true }),
});

export const virtualMachineStatus = kubevirtStatus('VirtualMachineStatus', 'What was observed of the machine.', {
  observedGeneration: generation('Generation of the spec that the running instance was made from.'),
  desiredGeneration: generation('Generation of the spec as it stands.'),
  virtualMachine: string('Name of the instance that belongs to the machine.', { maxLength: 253 }),
  created: boolean('Whether the instance exists.'),
  ready: boolean('Whether the instance runs and is ready.'),
  printableStatus: choice('State of the machine in one word.', PRINTABLE_STATUSES),
  conditions: conditions(
    'Ready, Failure, Paused, RestartRequired, LastShutdown (how the last instance ended), and those of the instance',
  ),
  runStrategy: choice('The run strategy that is in force.', RUN_STRATEGIES),
  stateChangeRequests,
  startFailure,
  interfaces: list(
    'Addresses that the machine keeps through restart and migration. A field of ours.',
    object('The addresses of a network card.', {
      name: required(string('Name of the card.')),
      mac: string('Hardware address.'),
      ipAddress: string('Address on the network of pods.'),
    }),
    { keys: ['name'] },
  ),
  snapshotInProgress: string('Name of the snapshot that is being taken.'),
  restoreInProgress: string('Name of the restore that is under way.'),
});
