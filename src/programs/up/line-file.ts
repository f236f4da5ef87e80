import { write } from 'node:fs';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';

/** Maximum number of bytes that may wait to be written. Lines beyond it are dropped and counted. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024;
const RETRY_MS = 1_000;

/**
 * Appends lines to an open file without blocking the writer. Lines that a full disk rejects wait, within limits, and
 * are written once there is space again.
 */
export class LineFile {
  readonly #fd: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #log: Logger;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #lost = 0;
  #isWriting = false;
  #failedAt: number | undefined;

  constructor(fd: number, clock: Pick<Clock, 'monotonic'>, log: Logger) {
    this.#fd = fd;
    this.#clock = clock;
    this.#log = log;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#bytes + bytes.length > MAX_PENDING_BYTES) this.#lost++;
    else {
      this.#waiting.push(bytes);
      this.#bytes += bytes.length;
    }
    const isTooSoon = this.#failedAt !== undefined && this.#clock.monotonic() - this.#failedAt < RETRY_MS;
    if (!this.#isWriting && !isTooSoon) this.#writeOn();
  }

  #writeOn(): void {
    const text = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#isWriting = true;
    write(this.#fd, text, (error, written) => {
      this.#isWriting = false;
      const done = error === null ? written : 0;
      if (done < text.length) this.#waiting.unshift(text.subarray(done));
      this.#bytes -= done;
      if (error !== null) {
        this.#fail(error);
        return;
      }
      this.#recover();
      if (this.#waiting.length > 0) this.#writeOn();
    });
  }

  #fail(error: Error): void {
    if (this.#failedAt === undefined) this.#log.error(error, 'cannot write to the audit log');
    this.#failedAt = this.#clock.monotonic();
  }

  #recover(): void {
    if (this.#failedAt === undefined) return;
    this.#failedAt = undefined;
    this.#log.warn({ lost: this.#lost }, 'writing to the audit log works again');
    this.#lost = 0;
  }
}
