import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { PowerAction, PowerEdit, PowerOptions, PowerRequest } from '#vm/engine/dialect';
import { isFinal } from '#vm/engine/instance-state';

/** VM with a single power switch, as the statuses of several groups describe it. */
interface Switched {
  readonly spec: { readonly running: boolean };
  readonly status?: {
    readonly stateChangeRequests?: readonly unknown[];
    readonly startFailure?: object;
    readonly restarts?: object;
  };
}

/** Expresses a start, stop or restart: spec.running is the desired state, requests are the steps in between. */
export function switchPower(
  vm: Switched,
  action: PowerAction,
  instance: VirtualMachineInstance | undefined,
  options: PowerOptions = {},
): PowerEdit {
  switch (action) {
    case 'start':
      return start(vm, instance, options);
    case 'stop':
      return stop(vm, instance, options);
    case 'restart':
      return restart(vm, instance, options);
  }
}

const NOT_RUNNING = { conflict: 'VM is not running' };
const ALREADY = { conflict: 'VM is already running' };
const UNDERWAY = { conflict: 'unable to complete request: stop/start already underway' };

function start(
  { spec, status }: Switched,
  instance: VirtualMachineInstance | undefined,
  { paused }: PowerOptions,
): PowerEdit {
  const requested: PowerRequest = { action: 'Start', ...(paused === true ? { data: { paused: 'true' } } : {}) };
  if (!spec.running) return { spec: { running: true }, ...(paused === true ? { requests: [requested] } : {}) };
  if (instance !== undefined && !isFinal(instance)) return ALREADY;
  if ((status?.stateChangeRequests ?? []).length > 0) return UNDERWAY;
  // It has ended by itself, and stays stopped or waits for a restart.
  if (instance !== undefined) return { requests: [stopOf(instance), requested] };
  return status?.restarts === undefined && status?.startFailure === undefined ? ALREADY : { requests: [requested] };
}

function stop({ spec }: Switched, instance: VirtualMachineInstance | undefined, options: PowerOptions): PowerEdit {
  const live = instance !== undefined && !isFinal(instance);
  const grace = options.gracePeriodSeconds;
  const shorter = grace === undefined || !live ? {} : { gracePeriodSeconds: grace };
  if (spec.running) return { spec: { running: false }, ...shorter };
  if (!live || grace === undefined) return NOT_RUNNING;
  // It is already stopping, and gets a shorter grace period.
  return { requests: [stopOf(instance)], ...shorter };
}

function restart(
  { spec, status }: Switched,
  instance: VirtualMachineInstance | undefined,
  options: PowerOptions,
): PowerEdit {
  if (!spec.running || instance === undefined) return NOT_RUNNING;
  if ((status?.stateChangeRequests ?? []).length > 0) return UNDERWAY;
  const grace = options.gracePeriodSeconds;
  const shorter = grace === undefined || isFinal(instance) ? {} : { gracePeriodSeconds: grace };
  return { requests: [stopOf(instance), { action: 'Start' }], ...shorter };
}

const stopOf = ({ metadata }: VirtualMachineInstance): PowerRequest => ({ action: 'Stop', uid: metadata.uid });
