import type { Clock } from '#platform/base/clock';
import type { User } from '../access/user.ts';
import { tooManyRequests } from '../api-error.ts';
import { FairLimiter, type FairLimits, FlowLimitError } from './fair-limiter.ts';
import { flowOf } from './flow.ts';

const MIB = 1024 * 1024;
/** Objects so small that as many as a flow has seats for go to the disk together. */
const SMALL = 64 * 1024;

/** What a flow may have on its way to the disk is about what goes there in one commit. */
const DEFAULT_LIMITS: FairLimits = { total: 8 * MIB, perFlow: 2 * MIB, maxWaiting: 400, maxWaitMs: 15_000 };

/**
 * Shares the way to the disk between flows. The store writes in the order in which it was asked, so that one flow with
 * many large objects would otherwise put all of them before a small one of somebody else.
 */
export class CommitShare {
  readonly #limiter: FairLimiter;

  constructor(clock: Pick<Clock, 'timer'>, limits: FairLimits = DEFAULT_LIMITS) {
    this.#limiter = new FairLimiter(limits, clock);
  }

  /** Writes an object of so much text once its user may; rejects with an ApiError (429) if that takes too long. */
  write<T>(user: User, size: number, write: () => Promise<T>): Promise<T> {
    const flow = size < SMALL ? undefined : flowOf(user);
    return flow === undefined ? write() : this.#inTurn(flow, size, write);
  }

  async #inTurn<T>(flow: string, size: number, write: () => Promise<T>): Promise<T> {
    try {
      const place = this.#limiter.acquire(flow, size);
      if (place !== undefined) await place;
    } catch (error) {
      if (!(error instanceof FlowLimitError)) throw error;
      throw tooManyRequests('Too many requests, please try again later.', 1);
    }
    try {
      return await write();
    } finally {
      this.#limiter.release(flow, size);
    }
  }
}
