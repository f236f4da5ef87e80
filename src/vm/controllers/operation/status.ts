import { microTimestamp, timestamp } from '#platform/base/timestamp';
import { conditionOf } from '#platform/kube/kinds/condition';
import { type Condition, withTransitionTime } from '#vm/engine/condition';
import {
  type Checkpoint,
  type Operation,
  type OperationPhase,
  type OperationStatus,
  orderOf,
  type Result,
} from './operation.ts';

export type StatusText = { readonly reason: string; readonly message: string };

/** Returns the status of an operation that waits for its turn, or for something missing. */
export function pendingStatus(
  operation: Operation,
  words: StatusText,
  now: number,
  change: Partial<Checkpoint> = {},
): OperationStatus {
  return {
    ...base(operation),
    phase: 'Pending',
    progress: 0,
    message: words.message,
    conditions: conditionsOf(operation, 'Pending', words, now),
    checkpoint: checkpointAt(operation.status?.checkpoint, { ...change, order: orderOf(operation) }, now),
  };
}

export interface OperationStep {
  readonly checkpoint: Checkpoint;
  readonly progress: number;
  readonly message: string;
  readonly result?: Result | undefined;
}

/** Returns the status of an operation in progress. */
export function runningStatus(operation: Operation, step: OperationStep, now: number): OperationStatus {
  const { checkpoint, progress, message, result } = step;
  return {
    ...base(operation),
    phase: 'Running',
    startTime: operation.status?.startTime ?? timestamp(now),
    progress,
    message,
    conditions: conditionsOf(operation, 'Running', { reason: 'Running', message: '' }, now),
    checkpoint,
    ...(result === undefined ? {} : { result: { ...operation.status?.result, ...result } }),
  };
}

/** Returns the status of a finished operation. */
export function finishedStatus(
  operation: Operation,
  phase: OperationPhase,
  words: StatusText,
  result: Result | undefined,
  now: number,
): OperationStatus {
  const known = { ...operation.status?.result, ...result };
  const { startTime = timestamp(now), checkpoint, progress = 0 } = operation.status ?? {};
  return {
    ...base(operation),
    phase,
    ...(phase === 'Succeeded' || operation.status?.startTime !== undefined ? { startTime } : {}),
    completionTime: timestamp(now),
    progress: phase === 'Succeeded' ? 100 : progress,
    message: words.message,
    conditions: conditionsOf(operation, phase, words, now),
    ...(Object.keys(known).length === 0 ? {} : { result: known }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
  };
}

/** Returns the checkpoint with changes. Its time only changes with the step. */
export function checkpointAt(before: Checkpoint | undefined, change: Partial<Checkpoint>, now: number): Checkpoint {
  const since = change.step === undefined || change.step === before?.step ? before?.since : microTimestamp(now);
  return { ...before, ...change, ...(since === undefined ? {} : { since }) };
}

function base({ metadata, status }: Operation): OperationStatus {
  const { startTime, result, checkpoint } = status ?? {};
  return {
    observedGeneration: metadata.generation,
    ...(startTime === undefined ? {} : { startTime }),
    ...(result === undefined ? {} : { result }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
  };
}

/**
 * Returns the conditions. Succeeded and Failed are set from the first status on, so that clients that wait for one see
 * it change.
 */
function conditionsOf(
  { status }: Operation,
  phase: OperationPhase,
  { reason, message }: StatusText,
  now: number,
): Condition[] {
  const before = status?.conditions;
  const at = timestamp(now);
  const word = (type: string, holds: boolean): Condition =>
    withTransitionTime(before, { type, status: holds ? 'True' : 'False', reason, message }, at);
  const conditions = [word('Succeeded', phase === 'Succeeded'), word('Failed', phase === 'Failed')];
  const cancelled = phase === 'Cancelled' || conditionOf(before, 'Cancelled') !== undefined;
  return cancelled ? [...conditions, word('Cancelled', phase === 'Cancelled')] : conditions;
}
