import type { Clock, Timer } from '#platform/base/clock';
import type { GuestInfo } from '../../machine-driver.ts';
import type { Behavior } from '../behavior.ts';

export type GuestEnd = 'GuestShutdown' | 'Crashed' | 'OutOfMemory';

/** Callbacks for spontaneous events of a guest. */
export interface GuestEvents {
  booted(): void;
  ended(how: GuestEnd, message: string): void;
}

const INFO: GuestInfo = {
  os: { id: 'simulated', name: 'Simulated', prettyName: 'Simulated guest', machine: 'x86_64' },
};

interface Plan {
  readonly at: number;
  readonly happen: () => void;
}

/**
 * Simulates a guest, which boots and may end by itself. Its time advances only while the machine runs, and it sets a
 * timer only while an event is pending.
 */
export class Guest {
  readonly #clock: Clock;
  readonly #behavior: Behavior;
  readonly #events: GuestEvents;
  /** Uptime at the last start or pause, and the time of the last start. */
  #uptime: number;
  #since: number | undefined;
  #booted = false;
  #timer: Timer | undefined;

  constructor(clock: Clock, behavior: Behavior, events: GuestEvents, uptime = 0) {
    this.#clock = clock;
    this.#behavior = behavior;
    this.#events = events;
    this.#uptime = uptime;
    this.#booted = uptime >= behavior.bootMs;
  }

  get uptime(): number {
    return this.#uptime + (this.#since === undefined ? 0 : this.#clock.monotonic() - this.#since);
  }

  get booted(): boolean {
    return this.#booted;
  }

  get info(): GuestInfo | undefined {
    return this.#booted && this.#behavior.guestAgent ? INFO : undefined;
  }

  /** Bytes of memory written per second. */
  get dirtyRate(): number {
    return this.#since === undefined ? 0 : this.#behavior.dirtyRate;
  }

  run(): void {
    this.#since ??= this.#clock.monotonic();
    this.#arm();
  }

  stand(): void {
    this.#uptime = this.uptime;
    this.#since = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Starts from the beginning or from a captured uptime, running or paused as before. */
  begin(uptime = 0): void {
    const running = this.#since !== undefined;
    this.stand();
    this.#uptime = uptime;
    this.#booted = uptime >= this.#behavior.bootMs;
    if (running) this.run();
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const plan = this.#next();
    if (plan === undefined) return;
    this.#timer = this.#clock.timer(plan.at - this.uptime, () => {
      this.#timer = undefined;
      plan.happen();
      if (this.#since !== undefined && this.#timer === undefined) this.#arm();
    });
  }

  /** Returns the next event, in the guest's own time. */
  #next(): Plan | undefined {
    const { bootMs, fail, failAfterMs, failTimes, completeAfterMs } = this.#behavior;
    const plans: Plan[] = [];
    if (!this.#booted) plans.push({ at: bootMs, happen: () => this.#boot() });
    if (completeAfterMs !== undefined) plans.push(this.#end(completeAfterMs, 'GuestShutdown', 'the guest shut down'));
    if (failTimes > 0 && fail === 'crash') plans.push(this.#end(failAfterMs, 'Crashed', 'the guest crashed'));
    if (failTimes > 0 && fail === 'oom')
      plans.push(this.#end(failAfterMs, 'OutOfMemory', 'the VM exceeded its memory limit'));
    return plans.sort((a, b) => a.at - b.at)[0];
  }

  #boot(): void {
    this.#booted = true;
    this.#events.booted();
  }

  #end(at: number, how: GuestEnd, message: string): Plan {
    return { at, happen: () => this.#events.ended(how, message) };
  }
}
