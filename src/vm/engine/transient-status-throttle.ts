/** With no more than so many machines on their way lately, each of their states is worth a write. */
const MAX_TRANSIENT = 16;
/** A state that lasts this long is none that passes; where there is a crowd, everything takes longer. */
const HOLD_MS = 100;
const HOLD_MS_EACH = 3;
/** Where writes take long, a state lasts as long as the next few of them. */
const HOLD_WRITES = 8;
/** How much the last write counts in what writes take of late. */
const LAST_WRITE_WEIGHT = 0.2;

/**
 * Decides which states on the way of a machine are worth a write. Whoever starts a few machines wants to see each
 * step; where many are started, most steps are over before their write would be. Final states are not its matter.
 */
export class TransientStatusThrottle {
  /** By machine; `hold`: how long its state had to last in the largest crowd since it began. */
  readonly #inTransit = new Map<string, { readonly state: string; readonly since: number; hold: number }>();
  /** When the last machines set out; the oldest stands at `#next`. */
  readonly #departures: number[] = Array.from({ length: MAX_TRANSIENT }, () => Number.NEGATIVE_INFINITY);
  #next = 0;
  #writeMs = 0;

  /** A write took so long. */
  wrote(ms: number): void {
    this.#writeMs += (ms - this.#writeMs) * LAST_WRITE_WEIGHT;
  }

  /**
   * How long to wait before this state of a machine is written, if it still holds then; 0: it is worth a write now.
   * `now` is monotonic.
   */
  delay(vm: string, state: string, now: number): number {
    const known = this.#inTransit.get(vm);
    const calm = known === undefined ? this.#departs(vm, state, now) : this.#isCalm(now);
    if (calm) return 0;
    let own = this.#inTransit.get(vm);
    if (own === undefined || own.state !== state) {
      own = { state, since: now, hold: 0 };
      this.#inTransit.set(vm, own);
    }
    // The last of a crowd have waited behind all others.
    own.hold = Math.max(own.hold, this.#hold());
    return Math.max(0, own.since + own.hold - now);
  }

  /** Whether the state that the machine was last seen in is not written yet, because it may pass. */
  shouldHold(vm: string): boolean {
    return (this.#inTransit.get(vm)?.hold ?? 0) > 0;
  }

  /** The machine is where it was going, or gone. */
  arrived(vm: string): void {
    this.#inTransit.delete(vm);
  }

  /** How long a state lasts that only passes, without a crowd. */
  get #transientMs(): number {
    return Math.max(HOLD_MS, HOLD_WRITES * this.#writeMs);
  }

  #hold(): number {
    return this.#transientMs + HOLD_MS_EACH * Math.max(0, this.#inTransit.size - MAX_TRANSIENT - 1);
  }

  #departs(vm: string, state: string, now: number): boolean {
    const calm = this.#isCalm(now) && this.#inTransit.size < MAX_TRANSIENT;
    this.#inTransit.set(vm, { state, since: now, hold: 0 });
    this.#departures[this.#next] = now;
    this.#next = (this.#next + 1) % MAX_TRANSIENT;
    return calm;
  }

  /** Few are under way, and few set out a moment ago: at a steady rate of hundreds a second there are never many under way. */
  #isCalm(now: number): boolean {
    return this.#inTransit.size <= MAX_TRANSIENT && now - (this.#departures[this.#next] ?? 0) >= this.#transientMs;
  }
}
