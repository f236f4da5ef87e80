/** With no more than so many machines on their way lately, each of their states is worth a write. */
const MOST = 16;
/** A state that lasts this long is none that passes; where there is a crowd, everything takes longer. */
const HOLD_MS = 100;
const HOLD_MS_EACH = 3;
/** Where writes take long, a state lasts as long as the next few of them. */
const HOLD_WRITES = 8;
/** How much the last write counts in what writes take of late. */
const LAST = 0.2;

/**
 * Decides which states on the way of a machine are worth a write. Whoever starts a few machines wants to see each
 * step; where many are started, most steps are over before their write would be. Final states are not its matter.
 */
export class PassingStates {
  /** By machine; `hold`: how long its state had to last in the largest crowd since it began. */
  readonly #onTheirWay = new Map<string, { readonly state: string; readonly since: number; hold: number }>();
  /** When the last machines set out; the oldest stands at `#next`. */
  readonly #departures: number[] = Array.from({ length: MOST }, () => Number.NEGATIVE_INFINITY);
  #next = 0;
  #writeMs = 0;

  /** A write took so long. */
  wrote(ms: number): void {
    this.#writeMs += (ms - this.#writeMs) * LAST;
  }

  /**
   * How long to wait before this state of a machine is written, if it still holds then; 0: it is worth a write now.
   * `now` is monotonic.
   */
  delay(machine: string, state: string, now: number): number {
    const known = this.#onTheirWay.get(machine);
    const calm = known === undefined ? this.#departs(machine, state, now) : this.#isCalm(now);
    if (calm) return 0;
    let own = this.#onTheirWay.get(machine);
    if (own === undefined || own.state !== state) {
      own = { state, since: now, hold: 0 };
      this.#onTheirWay.set(machine, own);
    }
    // The last of a crowd have waited behind all others.
    own.hold = Math.max(own.hold, this.#hold());
    return Math.max(0, own.since + own.hold - now);
  }

  /** Whether the state that the machine was last seen in is not written yet, because it may pass. */
  holds(machine: string): boolean {
    return (this.#onTheirWay.get(machine)?.hold ?? 0) > 0;
  }

  /** The machine is where it was going, or gone. */
  arrived(machine: string): void {
    this.#onTheirWay.delete(machine);
  }

  /** How long a state lasts that only passes, without a crowd. */
  get #passingMs(): number {
    return Math.max(HOLD_MS, HOLD_WRITES * this.#writeMs);
  }

  #hold(): number {
    return this.#passingMs + HOLD_MS_EACH * Math.max(0, this.#onTheirWay.size - MOST - 1);
  }

  #departs(machine: string, state: string, now: number): boolean {
    const calm = this.#isCalm(now) && this.#onTheirWay.size < MOST;
    this.#onTheirWay.set(machine, { state, since: now, hold: 0 });
    this.#departures[this.#next] = now;
    this.#next = (this.#next + 1) % MOST;
    return calm;
  }

  /** Few are under way, and few set out a moment ago: at a steady rate of hundreds a second there are never many under way. */
  #isCalm(now: number): boolean {
    return this.#onTheirWay.size <= MOST && now - (this.#departures[this.#next] ?? 0) >= this.#passingMs;
  }
}
