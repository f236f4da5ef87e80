import type { Clock, Timer } from '#platform/base/clock';
import type { GuestInfo } from '../../machine-driver.ts';
import type { Behaviour } from '../behaviour.ts';

export type GuestEnd = 'GuestShutdown' | 'Crashed' | 'OutOfMemory';

/** What a guest does of its own accord, told as it happens. */
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
 * What goes on inside a machine: it boots, and may end by itself. Its time passes only while the machine runs, and it
 * sets a timer only while something is still to come.
 */
export class Guest {
  readonly #clock: Clock;
  readonly #behaviour: Behaviour;
  readonly #events: GuestEvents;
  /** How long it had run when it last began or stopped to run, and since when it runs. */
  #uptime: number;
  #since: number | undefined;
  #booted = false;
  #timer: Timer | undefined;

  constructor(clock: Clock, behaviour: Behaviour, events: GuestEvents, uptime = 0) {
    this.#clock = clock;
    this.#behaviour = behaviour;
    this.#events = events;
    this.#uptime = uptime;
    this.#booted = uptime >= behaviour.bootMs;
  }

  get uptime(): number {
    return this.#uptime + (this.#since === undefined ? 0 : this.#clock.monotonic() - this.#since);
  }

  get booted(): boolean {
    return this.#booted;
  }

  get info(): GuestInfo | undefined {
    return this.#booted && this.#behaviour.guestAgent ? INFO : undefined;
  }

  /** Bytes of memory that it changes in a second. */
  get dirtyRate(): number {
    return this.#since === undefined ? 0 : this.#behaviour.dirtyRate;
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

  /** Begins anew, or at a time of its life that was kept; running or standing as it was. */
  begin(uptime = 0): void {
    const running = this.#since !== undefined;
    this.stand();
    this.#uptime = uptime;
    this.#booted = uptime >= this.#behaviour.bootMs;
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

  /** What it will do next, in its own time. */
  #next(): Plan | undefined {
    const { bootMs, fail, failAfterMs, failTimes, completeAfterMs } = this.#behaviour;
    const plans: Plan[] = [];
    if (!this.#booted) plans.push({ at: bootMs, happen: () => this.#boot() });
    if (completeAfterMs !== undefined) plans.push(this.#end(completeAfterMs, 'GuestShutdown', 'the guest shut down'));
    if (failTimes > 0 && fail === 'crash') plans.push(this.#end(failAfterMs, 'Crashed', 'the guest crashed'));
    if (failTimes > 0 && fail === 'oom')
      plans.push(this.#end(failAfterMs, 'OutOfMemory', 'the machine used more memory than it may'));
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
