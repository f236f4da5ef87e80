/** Speed of simulated time, and whether it is paused. */
export interface Speed {
  readonly scale: number;
  readonly paused: boolean;
}

/** Maps real time to simulated time, which can be paused and change its speed at any moment. It never goes back. */
export class ScaledClock {
  #speed: Speed = { scale: 1, paused: true };
  /** Real time of the last change of speed, and the elapsed times until then. */
  #since: number;
  #simulated = 0;
  #real = 0;

  constructor(now: number) {
    this.#since = now;
  }

  get speed(): Speed {
    return this.#speed;
  }

  /** Returns the elapsed times at a moment of real time, without pauses, in milliseconds. */
  at(now: number): { readonly simulated: number; readonly real: number } {
    const passed = this.#speed.paused ? 0 : Math.max(0, now - this.#since);
    return { simulated: this.#simulated + passed * this.#speed.scale, real: this.#real + passed };
  }

  /** Changes the speed from now on. */
  set(now: number, speed: Speed): void {
    const { simulated, real } = this.at(now);
    [this.#simulated, this.#real, this.#since, this.#speed] = [simulated, real, now, speed];
  }

  /** Returns the real time until a simulated time is reached. It is Infinity while time is paused. */
  until(simulated: number, now: number): number {
    const left = simulated - this.at(now).simulated;
    if (left <= 0) return 0;
    return this.#speed.paused ? Number.POSITIVE_INFINITY : left / this.#speed.scale;
  }
}
