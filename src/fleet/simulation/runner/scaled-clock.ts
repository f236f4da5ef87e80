/** How fast simulated time goes, and whether it goes at all. */
export interface Speed {
  readonly scale: number;
  readonly paused: boolean;
}

/** Simulated time beside real time: it may stand still, and go faster or slower from any moment on. Never goes back. */
export class ScaledClock {
  #speed: Speed = { scale: 1, paused: true };
  /** Real time at which the speed was last changed, and what had passed by then. */
  #since: number;
  #simulated = 0;
  #real = 0;

  constructor(now: number) {
    this.#since = now;
  }

  get speed(): Speed {
    return this.#speed;
  }

  /** What has passed by a moment of real time, pauses left out; all in milliseconds. */
  at(now: number): { readonly simulated: number; readonly real: number } {
    const passed = this.#speed.paused ? 0 : Math.max(0, now - this.#since);
    return { simulated: this.#simulated + passed * this.#speed.scale, real: this.#real + passed };
  }

  /** From now on time goes this fast. */
  set(now: number, speed: Speed): void {
    const { simulated, real } = this.at(now);
    [this.#simulated, this.#real, this.#since, this.#speed] = [simulated, real, now, speed];
  }

  /** How long it takes in real time until a simulated time has come; Infinity while it stands still. */
  until(simulated: number, now: number): number {
    const left = simulated - this.at(now).simulated;
    if (left <= 0) return 0;
    return this.#speed.paused ? Number.POSITIVE_INFINITY : left / this.#speed.scale;
  }
}
