import type { RunStrategy } from '#api/kubevirt/run-strategy';
import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { PRINTABLE_STATUSES, type PrintableStatus } from '#api/kubevirt/virtual-machine-status';
import { hasCondition } from '#vm/engine/condition';
import type { RecordedState } from '#vm/engine/dialect';
import { isFinal, isTerminating } from '#vm/engine/instance-state';

export interface PrintableStatusInput {
  /** The VM is terminating. */
  readonly leaving: boolean;
  readonly runStrategy: RunStrategy;
  readonly instance: VirtualMachineInstance | undefined;
  readonly memory: RecordedState;
}

/** Returns the status that `kubectl get vm` shows: the first one that applies. */
export function printableStatus(looks: PrintableStatusInput): PrintableStatus {
  return PRINTABLE_STATUSES.find((status) => HOLDS[status](looks)) ?? 'Unknown';
}

type Test = (looks: PrintableStatusInput) => boolean;

/** Applies a test to the instance, and is false without one. */
const ofInstance =
  (test: (instance: VirtualMachineInstance) => boolean): Test =>
  ({ instance }) =>
    instance !== undefined && test(instance);

/** Tests whether a condition of the instance is False for this reason. */
const failsFor = (reason: string): Test =>
  ofInstance(
    ({ status }) => status?.conditions?.some((each) => each.status === 'False' && each.reason === reason) === true,
  );

const STARTING: ReadonlySet<string | undefined> = new Set([undefined, '', 'Pending', 'Scheduling', 'Scheduled']);
/** Run strategies under which a failed start is retried or reported. */
const RETRIES: ReadonlySet<RunStrategy> = new Set(['Always', 'RerunOnFailure', 'Once']);

const HOLDS: Readonly<Record<PrintableStatus, Test>> = {
  Terminating: ({ leaving }) => leaving,
  Stopping: ofInstance((instance) => isTerminating(instance) && !isFinal(instance)),
  Migrating: ofInstance(({ status }) => {
    const { startTimestamp, completed, failed } = status?.migrationState ?? {};
    return startTimestamp !== undefined && startTimestamp !== null && completed !== true && failed !== true;
  }),
  Paused: ofInstance(({ status }) => hasCondition(status?.conditions, 'Paused')),
  Running: ofInstance(({ status }) => status?.phase === 'Running'),
  ErrorPvcNotFound: failsFor('FailedPvcNotFound'),
  DataVolumeError: failsFor('FailedDataVolume'),
  ErrorUnschedulable: failsFor('Unschedulable'),
  Provisioning: ofInstance(({ status }) => hasCondition(status?.conditions, 'Provisioning')),
  WaitingForVolumeBinding: failsFor('WaitingForVolumeBinding'),
  ErrImagePull: failsFor('ErrImagePull'),
  ImagePullBackOff: failsFor('ImagePullBackOff'),
  Starting: ofInstance((instance) => !isTerminating(instance) && STARTING.has(instance.status?.phase)),
  CrashLoopBackOff: ({ instance, memory, runStrategy }) =>
    (instance === undefined || isFinal(instance)) && memory.startFailure !== undefined && RETRIES.has(runStrategy),
  Stopped: ({ instance }) => instance === undefined || isFinal(instance),
  Unknown: () => true,
};
