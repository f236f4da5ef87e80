import { runSteps, runStepsInTurns, type Steps } from '#platform/base/steps';
import type { User } from './access/user.ts';
import { flowOf } from './flow-control/flow.ts';
import type { Thread } from './flow-control/thread-share.ts';

/**
 * Awaited between the stages of a write, where nothing else is to be waited for: all writes under way then go through a
 * stage together, which is faster than one after the other (docs/decisions/0009-writes-go-stage-by-stage.md).
 */
export const STAGE_BARRIER: Promise<void> = Promise.resolve();

/** Text of which one stage takes more than a few milliseconds. */
const LARGE = 64 * 1024;
/** What one stage costs of what the whole write does, where there is much in little text. */
const STAGE = 1 / 2;

/** The same for a write of so much text: between the stages of a large one, everybody else gets a turn. */
export function nextStage(thread: Thread, size: number, user: User): Promise<void> {
  return turnOf(thread, size, user) ?? STAGE_BARRIER;
}

/** Where a stage of a large write is long enough to be cut in two; a small one does not wait there at all. */
export function turnOf(thread: Thread, size: number, user: User): Promise<void> | undefined {
  return size < LARGE ? undefined : thread.spend(flowOf(user), size * STAGE);
}

/** Does a stage in steps: between those of a large write, everybody else gets a turn. */
export function stageOf<T>(thread: Thread, size: number, user: User, steps: Steps<T>): T | Promise<T> {
  if (size < LARGE) return runSteps(steps);
  return runStepsInTurns(steps, () => turnOf(thread, size, user));
}
