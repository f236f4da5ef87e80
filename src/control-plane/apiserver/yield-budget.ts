import type { Clock } from '#platform/base/clock';
import type { AnnounceWork } from './flow-control/work.ts';

/** Size of text that is parsed without a pause, which takes a few milliseconds. */
const YIELD_BYTES = 256 * 1024;

/** Keeps long work from delaying others: after a certain amount of it, others run. */
export class YieldBudget {
  readonly #turn: () => Promise<void> | undefined;
  #left = YIELD_BYTES;

  /** Work for a user is announced, so that it waits behind that of users who have used less. */
  constructor(clock: Pick<Clock, 'turn'>, work?: AnnounceWork) {
    this.#turn = work === undefined ? () => clock.turn?.() : () => work(YIELD_BYTES);
  }

  /** Counts finished work by the length of its text. A returned promise must be awaited before more work. */
  spend(length: number): Promise<void> | undefined {
    this.#left -= length;
    if (this.#left > 0) return undefined;
    this.#left = YIELD_BYTES;
    return this.#turn();
  }
}
