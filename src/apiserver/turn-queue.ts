import type { Clock } from '../base/clock.ts';

/** Rounds of the event loop between two turns: a small request takes about so many from its first byte to its answer. */
const ROUNDS = 4;

/**
 * Lets one piece of long work go on at a time, and everything short in between. Users take turns, so that one with much
 * work holds up no other.
 */
export class TurnQueue {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Settles when the next piece of a user's work may be done; undefined where the clock lets nobody else go first. */
  take(user = ''): Promise<void> | undefined {
    if (this.#clock.turn === undefined) return undefined;
    const turn = Promise.withResolvers<void>();
    const own = this.#waiting.get(user);
    if (own === undefined) this.#waiting.set(user, [turn.resolve]);
    else own.push(turn.resolve);
    if (!this.#running) void this.#run();
    return turn.promise;
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.size > 0) {
      for (let round = 0; round < ROUNDS; round++) await this.#clock.turn?.();
      this.#next();
    }
    this.#running = false;
  }

  /** Gives the user that has waited longest a turn, and sends it to the end of the line. */
  #next(): void {
    for (const [user, own] of this.#waiting) {
      const resolve = own.shift();
      this.#waiting.delete(user);
      if (own.length > 0) this.#waiting.set(user, own);
      resolve?.();
      return;
    }
  }
}
