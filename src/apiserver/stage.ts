import type { TurnQueue } from './turn-queue.ts';

/**
 * Awaited between the stages of a write, where nothing else is to be waited for: all writes under way then go through a
 * stage together, which is faster than one after the other (docs/decisions/0009-writes-go-stage-by-stage.md).
 */
export const NEXT_STAGE: Promise<void> = Promise.resolve();

/** Text of which one stage takes more than a few milliseconds. */
const LARGE = 64 * 1024;

/** The same for a write of so much text: between the stages of a large one, everybody else gets a turn. */
export function nextStage(turns: TurnQueue, size: number, user: string): Promise<void> {
  return turnOf(turns, size, user) ?? NEXT_STAGE;
}

/** Where a stage of a large write is long enough to be cut in two; a small one does not wait there at all. */
export function turnOf(turns: TurnQueue, size: number, user: string): Promise<void> | undefined {
  return size < LARGE ? undefined : turns.take(user);
}
