import type { Clock, Timer } from '#platform/base/clock';

export interface FullDiskDeps {
  readonly clock: Clock;
  /** Returns the bytes that can be written to the disk of the host. */
  readonly availableBytes: () => Promise<number>;
  /** Resumes the machine. If the disk is still full, its next write pauses it again. */
  readonly resume: () => Promise<void>;
}

const CHECK_MS = 5_000;
/** Room with which a machine is resumed, so that it does not pause again at once. */
const RESUME_BYTES = 64 * 2 ** 20;

/** Resumes a machine that QEMU has paused because the disk of the host was full, once there is room. */
export class FullDisk {
  readonly #deps: FullDiskDeps;
  #timer: Timer | undefined;

  constructor(deps: FullDiskDeps) {
    this.#deps = deps;
  }

  /** The machine is paused for this reason. */
  get isFull(): boolean {
    return this.#timer !== undefined;
  }

  /** Follows the run state of QEMU. */
  observe(runState: string): void {
    if (runState !== 'io-error') this.stop();
    else this.#timer ??= this.#checkLater();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #checkLater(): Timer {
    return this.#deps.clock.timer(CHECK_MS, () => void this.#check());
  }

  async #check(): Promise<void> {
    const available = await this.#deps.availableBytes().catch(() => 0);
    if (this.#timer === undefined) return;
    if (available < RESUME_BYTES) this.#timer = this.#checkLater();
    else {
      this.stop();
      // Without a connection, the machine has ended or its state is read again.
      await this.#deps.resume().catch(() => undefined);
    }
  }
}
