import type { Clock, Timer } from '#platform/base/clock';
import type { GuestInfo } from '../../machine-driver.ts';
import type { QemuGuestAgent } from './qemu-guest-agent.ts';

export interface GuestWatchDeps {
  readonly clock: Clock;
  readonly agent: Pick<QemuGuestAgent, 'isConnected' | 'info'>;
  /** A guest that does not run does not respond either, and what it reported before still holds. */
  readonly isRunning: () => boolean;
  readonly onChange: () => void;
}

/** Addresses change without an event. */
const REFRESH_MS = 60_000;

/** Follows what the guest agent of a machine reports: when it connects or disconnects, and once a minute. */
export class GuestWatch {
  readonly #deps: GuestWatchDeps;
  #guest: GuestInfo | undefined;
  #timer: Timer | undefined;
  #refreshing: Promise<void> | undefined;
  #isStopped = false;

  constructor(deps: GuestWatchDeps) {
    this.#deps = deps;
  }

  get guest(): GuestInfo | undefined {
    return this.#guest;
  }

  /** Reads what the guest agent reports now. */
  refresh(): void {
    this.#timer?.cancel();
    if (this.#isStopped) return;
    const before = this.#refreshing ?? Promise.resolve();
    const refreshing = before.then(() => this.#read());
    this.#refreshing = refreshing;
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #read(): Promise<void> {
    const { agent, clock, isRunning, onChange } = this.#deps;
    const isConnected = !isRunning() || (await agent.isConnected().catch(() => false));
    // A guest agent that is only slow has not gone.
    const found = isConnected ? await this.#info().catch(() => this.#guest) : undefined;
    if (this.#isStopped) return;
    if (isConnected) {
      this.#timer?.cancel();
      this.#timer = clock.timer(REFRESH_MS, () => this.refresh());
    }
    if (JSON.stringify(found) === JSON.stringify(this.#guest)) return;
    this.#guest = found;
    onChange();
  }

  async #info(): Promise<GuestInfo | undefined> {
    const { agent, isRunning } = this.#deps;
    return isRunning() ? await agent.info() : this.#guest;
  }
}
