import { conditions } from '#platform/schema/conditions';
import { boolean, choice, dateTime, integer, list, map, object, requiredField, string } from '#platform/schema/schema';
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

const stateChangeRequest = object('A requested start or stop that is not finished.', {
  action: requiredField(choice('Requested action.', ['Start', 'Stop'])),
  data: map('Additional data, such as how to start the VM.', string('A value.')),
  uid: string('UID of the instance to stop.'),
});

export const stateChangeRequests = list('Pending starts and stops, in order.', stateChangeRequest);

export const startFailure = object(
  'Instances that ended before they ran, or crashed within five minutes. Starts are retried with increasing delays.',
  {
    consecutiveFailCount: integer('Number of consecutive failures.', { format: 'int32', minimum: 0 }),
    lastFailedVMIUID: string('UID of the last instance that failed.'),
    retryAfterTimestamp: dateTime('When the next start is attempted.', { nullable: true }),
  },
);

export const virtualMachineStatus = kubevirtStatus('VirtualMachineStatus', 'Observed state of the VM.', {
  observedGeneration: generation('Generation of the spec that the running instance was created from.'),
  desiredGeneration: generation('Current generation of the spec.'),
  virtualMachine: string('Name of the instance of the VM.', { maxLength: 253 }),
  created: boolean('Whether the instance exists.'),
  ready: boolean('Whether the instance runs and is ready.'),
  printableStatus: choice('State of the VM as one word.', PRINTABLE_STATUSES),
  conditions: conditions(
    'Ready, Failure, Paused, RestartRequired, LastShutdown (how the last instance ended), and those of the instance',
  ),
  runStrategy: choice('Effective run strategy.', RUN_STRATEGIES),
  stateChangeRequests,
  startFailure,
  interfaces: list(
    'Addresses that the VM keeps across restarts and migrations. Specific to Vimana.',
    object('The addresses of a network interface.', {
      name: requiredField(string('Name of the interface.')),
      mac: string('MAC address.'),
      ipAddress: string('Address on the pod network.'),
    }),
    { keys: ['name'] },
  ),
  snapshotInProgress: string('Name of the snapshot in progress.'),
  restoreInProgress: string('Name of the restore in progress.'),
});
