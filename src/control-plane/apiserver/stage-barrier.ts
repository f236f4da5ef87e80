import { runSteps, runStepsInTurns, type Steps } from '#platform/base/steps';
import type { User } from './access/user.ts';
import { flowOf } from './flow-control/flow.ts';
import type { Thread } from './flow-control/thread-share.ts';

/**
 * Awaited between the stages of a write if there is nothing else to wait for. All writes in progress then go through a
 * stage together, which is faster than one after the other (docs/decisions/0009-writes-proceed-stage-by-stage.md).
 */
export const STAGE_BARRIER: Promise<void> = Promise.resolve();

/** Size of text for which one stage takes more than a few milliseconds. */
const LARGE = 64 * 1024;
/** Cost of one stage relative to the whole write, for short text with many elements. */
const STAGE = 1 / 2;

/** Awaited between the stages of a write of the given size. Other requests run between the stages of a large one. */
export function nextStage(thread: Thread, size: number, user: User): Promise<void> {
  return turnOf(thread, size, user) ?? STAGE_BARRIER;
}

/**
 * Awaited in the middle of a stage that is long for a large write. Returns undefined for a small one, which does not
 * wait.
 */
export function turnOf(thread: Thread, size: number, user: User): Promise<void> | undefined {
  return size < LARGE ? undefined : thread.spend(flowOf(user), size * STAGE);
}

/** Runs a stage in steps. Other requests run between the steps of a large write. */
export function stageOf<T>(thread: Thread, size: number, user: User, steps: Steps<T>): T | Promise<T> {
  if (size < LARGE) return runSteps(steps);
  return runStepsInTurns(steps, () => turnOf(thread, size, user));
}
