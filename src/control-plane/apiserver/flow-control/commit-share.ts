import type { Clock } from '#platform/base/clock';
import type { User } from '../access/user.ts';
import { tooManyRequests } from '../api-error.ts';
import { FairLimiter, type FairLimits, FlowLimitError } from './fair-limiter.ts';
import { flowOf } from './flow.ts';

const MIB = 1024 * 1024;
/**
 * Maximum size of objects that are written without a limit: a flow's seats allow only as many as go to disk together.
 */
const SMALL = 64 * 1024;

/** Default limits. One flow may have about as much on its way to the disk as one commit holds. */
const DEFAULT_LIMITS: FairLimits = { total: 8 * MIB, perFlow: 2 * MIB, maxWaiting: 400, maxWaitMs: 15_000 };

/**
 * Shares the disk between flows. The store writes in the order of requests, so that one flow with many large objects
 * would otherwise put all of them before a small one of another user.
 */
export class CommitShare {
  readonly #limiter: FairLimiter;

  constructor(clock: Pick<Clock, 'timer'>, limits: FairLimits = DEFAULT_LIMITS) {
    this.#limiter = new FairLimiter(limits, clock);
  }

  /** Writes an object of the given size once its user may; rejects with an ApiError (429) if that takes too long. */
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
