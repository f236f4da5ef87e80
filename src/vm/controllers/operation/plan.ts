import { OPERATION_FINALIZER } from '#api/operation-request';
import type { Course, Deed, Turn } from './course.ts';
import { fail } from './course.ts';
import { courseOf } from './courses.ts';
import {
  ASIDE,
  deadlineOf,
  hasBegun,
  isCalledOff,
  isOver,
  LACKING,
  type Operation,
  type OperationStatus,
  type Phase,
  phaseOf,
  type Result,
  wordFor,
} from './operation.ts';
import { isActive, type Sight } from './sight.ts';
import { checkpointAt, overStatus, pendingStatus, runningStatus, type Words } from './status.ts';

export type Action =
  | { readonly do: 'report'; readonly status: OperationStatus }
  | Deed
  | { readonly do: 'look again'; readonly afterMs: number }
  /** Nobody may delete the operation before it has put right what it has changed. */
  | { readonly do: 'hold' }
  | { readonly do: 'release' }
  /** It has been over for as long as it was to be kept. */
  | { readonly do: 'expire' };

/** How long an operation waits for its turn before it says so; its creation is known to the second. */
const QUIET_MS = 2000;

/** For how long others wait for an operation that cannot begin: what comes with the machine is there by then. */
const PATIENCE_MS = 30_000;

/** What to do about an operation as it stands, in this order; what is to be recorded stands before what is to be done. */
export function plan(sight: Sight): readonly Action[] {
  const { operation, now } = sight;
  if (isOver(operation)) return afterwards(operation, now);
  const course = courseOf(operation, sight.dialect);
  if (hasBegun(operation)) return underWay(sight, course);
  if (operation.metadata.deletionTimestamp !== undefined) return isHeld(operation) ? [{ do: 'release' }] : [];
  return waiting(sight, course);
}

const isHeld = ({ metadata }: Operation) => metadata.finalizers?.includes(OPERATION_FINALIZER) === true;

function afterwards(operation: Operation, now: number): readonly Action[] {
  const { ttlSecondsAfterFinished: ttl } = operation.spec;
  const release: Action[] = isHeld(operation) ? [{ do: 'release' }] : [];
  if (operation.metadata.deletionTimestamp !== undefined || ttl === undefined) return release;
  const left = Date.parse(operation.status?.completionTime ?? '') + ttl * 1000 - now;
  return [...release, left > 0 ? { do: 'look again', afterMs: left } : { do: 'expire' }];
}

function waiting(sight: Sight, course: Course): readonly Action[] {
  const { operation, ref, ahead, objection, now } = sight;
  if (objection !== undefined) {
    const words = { reason: objection.reason, message: `${objection.message}; nothing has been changed` };
    return [ended(sight, 'Failed', words)];
  }
  if (operation.spec.cancel) {
    const message = 'the operation was cancelled before it began: nothing has been changed';
    return [ended(sight, 'Cancelled', { reason: 'Cancelled', message })];
  }
  // Whoever is behind waits for it as well, each for as long as it may.
  if (!isActive(sight)) return missing(sight, { reason: 'NotFound', message: `${wordFor(ref)} is not there` });
  if (ahead !== undefined) {
    // Most waits are short, and not worth a write.
    const quiet = Date.parse(operation.metadata.creationTimestamp) + QUIET_MS - now;
    const left = deadlineOf(operation) - now;
    if (quiet > 0 && left > 0 && operation.status === undefined)
      return [{ do: 'look again', afterMs: Math.min(quiet, left) }];
    const { namespace, name } = ahead.metadata;
    const before = `VMOperation ${namespace}/${name} (${ahead.spec.operation}) of the same machine`;
    if (left <= 0) {
      const message = `${before} was not over within ${operation.spec.timeout}: nothing has been changed`;
      return [ended(sight, 'Failed', { reason: 'Timeout', message })];
    }
    const words = { reason: 'Waiting', message: `waits until ${before} is over` };
    return [
      { do: 'report', status: pendingStatus(operation, words, now) },
      { do: 'look again', afterMs: left },
    ];
  }
  if (sight.vm.metadata.deletionTimestamp !== undefined && operation.spec.operation !== 'delete')
    return missing(sight, { reason: 'NotFound', message: `${wordFor(ref)} is being deleted` });
  return follow(sight, course, course.begin(sight));
}

function ended({ operation, now }: Sight, phase: Phase, words: Words, result?: Result): Action {
  return { do: 'report', status: overStatus(operation, phase, words, result, now) };
}

/** Waits for something that it needs of a machine that is there, after a while without holding up those behind it. */
function lacking(sight: Sight, { reason, message }: Words): readonly Action[] {
  const { step, since = '' } = sight.operation.status?.checkpoint ?? {};
  if (step !== LACKING && step !== ASIDE) return missing(sight, { reason, message }, LACKING, PATIENCE_MS);
  const patience = Date.parse(since) + PATIENCE_MS - sight.now;
  if (step === LACKING && patience > 0) return missing(sight, { reason, message }, LACKING, patience);
  return missing(sight, { reason, message }, ASIDE);
}

/** Waits for something, for as long as the operation may take. */
function missing(
  sight: Sight,
  { reason, message }: Words,
  step?: string,
  afterMs = Number.POSITIVE_INFINITY,
): readonly Action[] {
  const { operation, now } = sight;
  const left = deadlineOf(operation) - now;
  if (left <= 0) {
    const words = {
      reason,
      message: `${message}, and was not within ${operation.spec.timeout}: nothing has been changed`,
    };
    return [ended(sight, 'Failed', words)];
  }
  const rest = step === ASIDE ? ', while other operations of the machine go on' : '';
  const words = { reason, message: `${message}: waiting for it${rest}` };
  return [
    { do: 'report', status: pendingStatus(operation, words, now, step === undefined ? {} : { step }) },
    { do: 'look again', afterMs: Math.min(left, afterMs) },
  ];
}

function underWay(sight: Sight, course: Course): readonly Action[] {
  const { operation, ref, vm, now, objection } = sight;
  // Nothing is put right either: whatever the status says was begun there may be made up.
  if (objection !== undefined) {
    const message = `${objection.message}; nothing more is done, and what was begun stays as it is`;
    return [ended(sight, 'Failed', { reason: objection.reason, message })];
  }
  const checkpoint = operation.status?.checkpoint ?? {};
  if (!isActive(sight) || (checkpoint.vmUID !== undefined && checkpoint.vmUID !== vm?.metadata.uid)) {
    const words = vm === undefined ? 'is gone' : 'is another one by now';
    return follow(sight, course, course.gone?.() ?? fail('MachineGone', `${wordFor(ref)} ${words}`));
  }
  const calledOff = isCalledOff(operation);
  const left = deadlineOf(operation) - now;
  if (!calledOff && left > 0) return follow(sight, course, course.go(sight, checkpoint));
  const givingUp = course.giveUp(sight, checkpoint);
  if (!givingUp.over) return givingUp.deeds;
  const { stays, deeds = [], result } = givingUp;
  const words = calledOff
    ? { reason: 'Cancelled', message: `the operation was cancelled: ${stays}` }
    : { reason: 'Timeout', message: `the operation took longer than ${operation.spec.timeout}: ${stays}` };
  return [...deeds, ended(sight, calledOff ? 'Cancelled' : 'Failed', words, result)];
}

/** Makes of what a course says what is to be recorded and done. */
function follow(sight: Sight, course: Course, turn: Turn): readonly Action[] {
  switch (turn.to) {
    case 'wait':
      return lacking(sight, turn);
    case 'succeed': {
      const words = { reason: turn.reason ?? 'Succeeded', message: turn.message };
      return [...(turn.deeds ?? []), ended(sight, 'Succeeded', words, turn.result)];
    }
    case 'fail':
      return [...(turn.deeds ?? []), ended(sight, 'Failed', turn)];
    case 'go on':
      return goOn(sight, course, turn);
  }
}

function goOn(sight: Sight, course: Course, turn: Turn & { to: 'go on' }): readonly Action[] {
  const { operation, vm, now } = sight;
  const { status } = operation;
  const change = { ...(hasBegun(operation) ? {} : { vmUID: vm?.metadata.uid ?? '' }), ...turn.checkpoint };
  const step = {
    checkpoint: checkpointAt(status?.checkpoint, change, now),
    // It never goes back.
    progress: Math.max(phaseOf(operation) === 'Running' ? (status?.progress ?? 0) : 0, turn.progress ?? 0),
    message: turn.message ?? status?.message ?? '',
    result: turn.result,
  };
  const hold = isActive(sight) && course.isHeld?.(sight) === true && !isHeld(operation);
  return [
    ...(hold ? [{ do: 'hold' } as const] : []),
    { do: 'report', status: runningStatus(operation, step, now) },
    ...(turn.deeds ?? []),
    { do: 'look again', afterMs: Math.min(turn.afterMs ?? Number.POSITIVE_INFINITY, deadlineOf(operation, now) - now) },
  ];
}

/** What is still to be done for an operation that cannot go on, so that it leaves nothing half done. */
export function leftTo(operation: Operation, sight: Sight): readonly Deed[] {
  const checkpoint = operation.status?.checkpoint;
  if (!isActive(sight) || checkpoint === undefined || !hasBegun(operation)) return [];
  return courseOf(operation, sight.dialect).giveUp({ ...sight, operation }, checkpoint).deeds ?? [];
}
