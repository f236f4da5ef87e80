import { OPERATION_FINALIZER } from '#api/operation-request';
import {
  ASIDE,
  deadlineOf,
  describeVm,
  hasStarted,
  isCancelRequested,
  isFinished,
  LACKING,
  type Operation,
  type OperationPhase,
  type OperationStatus,
  operationPhaseOf,
  type Result,
} from './operation.ts';
import type { OperationHandler, StepResult, WriteAction } from './operation-handler.ts';
import { fail } from './operation-handler.ts';
import { handlerFor } from './operation-handlers.ts';
import { isActive, type OperationView } from './operation-view.ts';
import { checkpointAt, finishedStatus, pendingStatus, runningStatus, type StatusText } from './status.ts';

export type OperationAction =
  | { readonly do: 'report'; readonly status: OperationStatus }
  | WriteAction
  | { readonly do: 'requeue'; readonly requeueAfterMs: number }
  /** Adds the finalizer, so that the operation cannot be deleted before it has cleaned up. */
  | { readonly do: 'hold' }
  | { readonly do: 'release' }
  /** Deletes an operation whose TTL after finishing has expired. */
  | { readonly do: 'expire' };

/** Delay before an operation reports that it waits for its turn. Its creation time has a resolution of seconds. */
const QUIET_MS = 2000;

/**
 * Time for which others wait for an operation that cannot start. What is created together with the VM exists by then.
 */
const TIMEOUT_MS = 30_000;

/** Plans the actions for an operation, in order. Records come before the writes that they are for. */
export function planOperation(view: OperationView): readonly OperationAction[] {
  const { operation, now } = view;
  if (isFinished(operation)) return afterwards(operation, now);
  const handler = handlerFor(operation, view.dialect);
  if (hasStarted(operation)) return planRunning(view, handler);
  if (operation.metadata.deletionTimestamp !== undefined) return hasFinalizer(operation) ? [{ do: 'release' }] : [];
  return planPending(view, handler);
}

const hasFinalizer = ({ metadata }: Operation) => metadata.finalizers?.includes(OPERATION_FINALIZER) === true;

function afterwards(operation: Operation, now: number): readonly OperationAction[] {
  const { ttlSecondsAfterFinished: ttl } = operation.spec;
  const release: OperationAction[] = hasFinalizer(operation) ? [{ do: 'release' }] : [];
  if (operation.metadata.deletionTimestamp !== undefined || ttl === undefined) return release;
  const left = Date.parse(operation.status?.completionTime ?? '') + ttl * 1000 - now;
  return [...release, left > 0 ? { do: 'requeue', requeueAfterMs: left } : { do: 'expire' }];
}

function planPending(view: OperationView, handler: OperationHandler): readonly OperationAction[] {
  const { operation, ref, blockedBy, denial, now } = view;
  if (denial !== undefined) {
    const words = { reason: denial.reason, message: `${denial.message}; nothing has been changed` };
    return [finish(view, 'Failed', words)];
  }
  if (operation.spec.cancel) {
    const message = 'the operation was cancelled before it began: nothing has been changed';
    return [finish(view, 'Cancelled', { reason: 'Cancelled', message })];
  }
  // Operations behind it wait for the VM as well, each up to its own timeout.
  if (!isActive(view)) return waitForMissing(view, { reason: 'NotFound', message: `${describeVm(ref)} not found` });
  if (blockedBy !== undefined) {
    // Most waits are short, and not worth a write.
    const quiet = Date.parse(operation.metadata.creationTimestamp) + QUIET_MS - now;
    const left = deadlineOf(operation) - now;
    if (quiet > 0 && left > 0 && operation.status === undefined)
      return [{ do: 'requeue', requeueAfterMs: Math.min(quiet, left) }];
    const { namespace, name } = blockedBy.metadata;
    const before = `VMOperation ${namespace}/${name} (${blockedBy.spec.operation}) of the same VM`;
    if (left <= 0) {
      const message = `${before} did not finish within ${operation.spec.timeout}: nothing has been changed`;
      return [finish(view, 'Failed', { reason: 'Timeout', message })];
    }
    const words = { reason: 'Waiting', message: `waiting for ${before} to finish` };
    return [
      { do: 'report', status: pendingStatus(operation, words, now) },
      { do: 'requeue', requeueAfterMs: left },
    ];
  }
  if (view.vm.metadata.deletionTimestamp !== undefined && operation.spec.operation !== 'delete')
    return waitForMissing(view, { reason: 'NotFound', message: `${describeVm(ref)} is being deleted` });
  return applyStep(view, handler, handler.begin(view));
}

function finish(
  { operation, now }: OperationView,
  phase: OperationPhase,
  words: StatusText,
  result?: Result,
): OperationAction {
  return { do: 'report', status: finishedStatus(operation, phase, words, result, now) };
}

/** Waits for something that an existing VM lacks, and after a while lets others pass. */
function waitOrYield(view: OperationView, { reason, message }: StatusText): readonly OperationAction[] {
  const { step, since = '' } = view.operation.status?.checkpoint ?? {};
  if (step !== LACKING && step !== ASIDE) return waitForMissing(view, { reason, message }, LACKING, TIMEOUT_MS);
  const timeoutMs = Date.parse(since) + TIMEOUT_MS - view.now;
  if (step === LACKING && timeoutMs > 0) return waitForMissing(view, { reason, message }, LACKING, timeoutMs);
  return waitForMissing(view, { reason, message }, ASIDE);
}

/** Waits for something until the timeout of the operation. */
function waitForMissing(
  view: OperationView,
  { reason, message }: StatusText,
  step?: string,
  afterMs = Number.POSITIVE_INFINITY,
): readonly OperationAction[] {
  const { operation, now } = view;
  const left = deadlineOf(operation) - now;
  if (left <= 0) {
    const words = {
      reason,
      message: `${message}, timed out after ${operation.spec.timeout}: nothing has been changed`,
    };
    return [finish(view, 'Failed', words)];
  }
  const rest = step === ASIDE ? ' while other operations of the VM continue' : '';
  const words = { reason, message: `${message}, waiting${rest}` };
  return [
    { do: 'report', status: pendingStatus(operation, words, now, step === undefined ? {} : { step }) },
    { do: 'requeue', requeueAfterMs: Math.min(left, afterMs) },
  ];
}

function planRunning(view: OperationView, handler: OperationHandler): readonly OperationAction[] {
  const { operation, ref, vm, now, denial } = view;
  // Nothing is cleaned up either, since the status that says what was started may be forged.
  if (denial !== undefined) {
    const message = `${denial.message}; the operation stops, and what it has done so far is not undone`;
    return [finish(view, 'Failed', { reason: denial.reason, message })];
  }
  const checkpoint = operation.status?.checkpoint ?? {};
  if (!isActive(view) || (checkpoint.vmUID !== undefined && checkpoint.vmUID !== vm?.metadata.uid)) {
    const words = vm === undefined ? 'was deleted' : 'was replaced by another one';
    return applyStep(view, handler, handler.onVmDeleted?.() ?? fail('MachineGone', `${describeVm(ref)} ${words}`));
  }
  const calledOff = isCancelRequested(operation);
  const left = deadlineOf(operation) - now;
  if (!calledOff && left > 0) return applyStep(view, handler, handler.advance(view, checkpoint));
  const givingUp = handler.abort(view, checkpoint);
  if (!givingUp.finished) return givingUp.actions;
  const { stays, actions = [], result } = givingUp;
  const words = calledOff
    ? { reason: 'Cancelled', message: `the operation was cancelled: ${stays}` }
    : { reason: 'Timeout', message: `the operation took longer than ${operation.spec.timeout}: ${stays}` };
  return [...actions, finish(view, calledOff ? 'Cancelled' : 'Failed', words, result)];
}

/** Converts the result of a step to actions. */
function applyStep(view: OperationView, handler: OperationHandler, turn: StepResult): readonly OperationAction[] {
  switch (turn.to) {
    case 'wait':
      return waitOrYield(view, turn);
    case 'succeed': {
      const words = { reason: turn.reason ?? 'Succeeded', message: turn.message };
      return [...(turn.actions ?? []), finish(view, 'Succeeded', words, turn.result)];
    }
    case 'fail':
      return [...(turn.actions ?? []), finish(view, 'Failed', turn)];
    case 'continue':
      return continueStep(view, handler, turn);
  }
}

function continueStep(
  view: OperationView,
  handler: OperationHandler,
  turn: StepResult & { to: 'continue' },
): readonly OperationAction[] {
  const { operation, vm, now } = view;
  const { status } = operation;
  const change = { ...(hasStarted(operation) ? {} : { vmUID: vm?.metadata.uid ?? '' }), ...turn.checkpoint };
  const step = {
    checkpoint: checkpointAt(status?.checkpoint, change, now),
    // The progress never decreases.
    progress: Math.max(operationPhaseOf(operation) === 'Running' ? (status?.progress ?? 0) : 0, turn.progress ?? 0),
    message: turn.message ?? status?.message ?? '',
    result: turn.result,
  };
  const hold = isActive(view) && handler.needsFinalizer?.(view) === true && !hasFinalizer(operation);
  return [
    ...(hold ? [{ do: 'hold' } as const] : []),
    { do: 'report', status: runningStatus(operation, step, now) },
    ...(turn.actions ?? []),
    {
      do: 'requeue',
      requeueAfterMs: Math.min(turn.requeueAfterMs ?? Number.POSITIVE_INFINITY, deadlineOf(operation, now) - now),
    },
  ];
}

/** Returns the cleanup for an operation that cannot continue, so that it leaves no intermediate state. */
export function cleanupActions(operation: Operation, view: OperationView): readonly WriteAction[] {
  const checkpoint = operation.status?.checkpoint;
  if (!isActive(view) || checkpoint === undefined || !hasStarted(operation)) return [];
  return handlerFor(operation, view.dialect).abort({ ...view, operation }, checkpoint).actions ?? [];
}
