/**
 * Awaited between the stages of a write, where nothing else is to be waited for: all writes under way then go through a
 * stage together, which is faster than one after the other (docs/decisions/0009-writes-go-stage-by-stage.md).
 */
export const NEXT_STAGE: Promise<void> = Promise.resolve();
