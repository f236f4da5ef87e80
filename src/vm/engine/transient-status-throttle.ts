/** Maximum number of VMs in transition for which every state is written. */
const MAX_TRANSIENT = 16;
/**
 * Minimum duration of a state that is written. Each VM in transition adds to it, since everything takes longer then.
 */
const HOLD_MS = 100;
const HOLD_MS_EACH = 3;
/** Minimum duration of a state as a multiple of the write latency. */
const HOLD_WRITES = 8;
/** Weight of the last write in the average write latency. */
const LAST_WRITE_WEIGHT = 0.2;

/**
 * Decides which transient states of a VM are written; final states are handled elsewhere. With few VMs in transition
 * users see each step, with many most steps would be finished before their write.
 */
export class TransientStatusThrottle {
  /** VMs in transition. `hold` is how long the state had to last at the highest load since it began. */
  readonly #inTransit = new Map<string, { readonly state: string; readonly since: number; hold: number }>();
  /** Times when the last VMs began a transition. The oldest is at `#next`. */
  readonly #departures: number[] = Array.from({ length: MAX_TRANSIENT }, () => Number.NEGATIVE_INFINITY);
  #next = 0;
  #writeMs = 0;

  /** Records the latency of a write. */
  wrote(ms: number): void {
    this.#writeMs += (ms - this.#writeMs) * LAST_WRITE_WEIGHT;
  }

  /**
   * Returns how long to wait before this state of a VM is written, if it still holds then. 0 means to write it now.
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
    // The last VMs of a large batch have waited behind all others.
    own.hold = Math.max(own.hold, this.#hold());
    return Math.max(0, own.since + own.hold - now);
  }

  /** Reports whether the last observed state of the VM is held back because it may be transient. */
  shouldHold(vm: string): boolean {
    return (this.#inTransit.get(vm)?.hold ?? 0) > 0;
  }

  /** Ends the transition of a VM that has reached its final state or is gone. */
  arrived(vm: string): void {
    this.#inTransit.delete(vm);
  }

  /** Maximum duration of a transient state at low load. */
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

  /**
   * Reports whether few VMs are in transition and few began one recently. The count alone misses a steady rate of
   * hundreds per second.
   */
  #isCalm(now: number): boolean {
    return this.#inTransit.size <= MAX_TRANSIENT && now - (this.#departures[this.#next] ?? 0) >= this.#transientMs;
  }
}
