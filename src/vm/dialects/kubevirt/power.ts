import type { RunStrategy } from '#api/kubevirt/run-strategy';
import type { VirtualMachine } from '#api/kubevirt/virtual-machine';
import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { PowerAction, PowerEdit, PowerOptions, PowerRequest } from '#vm/engine/dialect';
import { isFinal } from '#vm/engine/instance-state';

/** Input of a start, stop or restart. */
export interface PowerCase {
  readonly vm: VirtualMachine;
  readonly runStrategy: RunStrategy;
  readonly instance: VirtualMachineInstance | undefined;
  readonly options: PowerOptions | undefined;
}

/** Returns KubeVirt's response to a start, stop or restart, with KubeVirt's messages if it is denied. */
export function kubevirtPower(requested: PowerCase, action: PowerAction): PowerEdit {
  switch (action) {
    case 'start':
      return start(requested);
    case 'stop':
      return stop(requested);
    case 'restart':
      return restart(requested);
  }
}

const NOT_RUNNING = { conflict: 'VM is not running' };

function start({ vm, runStrategy, instance, options }: PowerCase): PowerEdit {
  const { phase = '' } = instance?.status ?? {};
  const final = instance !== undefined && isFinal(instance);
  if (instance !== undefined && !final && phase !== 'Unknown' && phase !== '')
    return { conflict: 'VM is already running' };
  const request: PowerRequest = { action: 'Start', ...(options?.paused === true ? { data: { paused: 'true' } } : {}) };
  switch (runStrategy) {
    case 'Halted':
      return options?.paused === true
        ? queueRequests(vm, [request], runningEdit(vm, true))
        : { spec: runningEdit(vm, true) };
    case 'RerunOnFailure':
      if (phase === 'Failed') return { conflict: 'RerunOnFailure does not support starting VM from failed state' };
      break;
    case 'Manual':
      break;
    case 'Always':
    case 'Once':
      return { conflict: `${runStrategy} does not support manual start requests` };
  }
  return queueRequests(vm, final ? [stopOf(instance), request] : [request]);
}

function stop({ vm, runStrategy, instance, options }: PowerCase): PowerEdit {
  const grace = options?.gracePeriodSeconds;
  const live = instance !== undefined && !isFinal(instance) ? instance : undefined;
  const shorter = grace === undefined || live === undefined ? {} : { gracePeriodSeconds: grace };
  if (runStrategy === 'Always' || runStrategy === 'Once') {
    return { ...clearedRequests(vm), spec: runningEdit(vm, false), ...shorter };
  }
  if (live === undefined) return NOT_RUNNING;
  const before = live.spec.terminationGracePeriodSeconds;
  if (runStrategy === 'Halted' && (grace === undefined || (before !== undefined && grace >= before))) {
    return { conflict: 'Halted only supports manual stop requests with a shorter graceperiod' };
  }
  // A stop overrides all pending requests.
  return { requests: [stopOf(live)], ...shorter };
}

/** Drops pending requests, since a pending start would stay pending in a halted VM. */
const clearedRequests = ({ status }: VirtualMachine): { requests?: readonly PowerRequest[] } =>
  (status?.stateChangeRequests ?? []).length === 0 ? {} : { requests: [] };

function restart({ vm, runStrategy, instance }: PowerCase): PowerEdit {
  if (runStrategy === 'Halted' || runStrategy === 'Once') {
    return { conflict: `RunStategy ${runStrategy} does not support manual restart requests` };
  }
  if (instance === undefined) return { conflict: 'VM is not running: Halted' };
  return queueRequests(vm, [stopOf(instance), { action: 'Start' }]);
}

const stopOf = ({ metadata }: VirtualMachineInstance): PowerRequest => ({ action: 'Stop', uid: metadata.uid });

/** Queues requests one at a time: a new one is denied until the pending ones are done. */
function queueRequests({ status }: VirtualMachine, requests: readonly PowerRequest[], spec?: object): PowerEdit {
  const waiting = status?.stateChangeRequests ?? [];
  if (waiting.length > 0) return { conflict: 'unable to complete request: stop/start already underway' };
  return { requests, ...(spec === undefined ? {} : { spec }) };
}

/** Sets the power state in the field that the user has used. */
function runningEdit({ spec }: VirtualMachine, on: boolean): object {
  return spec.runStrategy === undefined ? { running: on } : { runStrategy: on ? 'Always' : 'Halted' };
}
