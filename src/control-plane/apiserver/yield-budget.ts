import type { Clock } from '#platform/base/clock';
import type { AnnounceWork } from './flow-control/work.ts';

/** Text that is parsed in one go: a few milliseconds. */
const YIELD_BYTES = 256 * 1024;

/** Keeps long work from holding up everybody else: after so much of it, others get their turn. */
export class YieldBudget {
  readonly #turn: () => Promise<void> | undefined;
  #left = YIELD_BYTES;

  /** Work for a user is announced, so that it waits behind that of others who have had less. */
  constructor(clock: Pick<Clock, 'turn'>, work?: AnnounceWork) {
    this.#turn = work === undefined ? () => clock.turn?.() : () => work(YIELD_BYTES);
  }

  /** Counts work done, by the length of the text that it was done on; a promise is to be waited for before more. */
  spend(length: number): Promise<void> | undefined {
    this.#left -= length;
    if (this.#left > 0) return undefined;
    this.#left = YIELD_BYTES;
    return this.#turn();
  }
}
