import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import type { Clock, Timer } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { LogEntry, LogStore } from './container-logs.ts';

/** How long lines may wait to be written together. */
const DELAY_MS = 250;
/** How long after a failure, such as a full disk, it is tried again. */
const RETRY_MS = 10_000;
/** Up to here the file may hold what nobody can read any more; beyond, it is made anew when that is the larger part. */
const SPARE_BYTES = 4 * 2 ** 20;

/**
 * Keeps what containers have said in a file, so that a process that starts again still knows it. What was said in the
 * last moment before a crash may be missing; what cannot be written is not kept, and nothing fails because of it.
 */
export class LogFile implements LogStore {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  #all: () => Iterable<LogEntry> = () => [];
  #waiting: string[] = [];
  #timer: Timer | undefined;
  #bytes = 0;
  #needed = 0;
  #broken = false;
  #behind = false;

  constructor(path: string, clock: Clock, log: Logger) {
    this.#path = path;
    this.#clock = clock;
    this.#log = log;
  }

  open(all: () => Iterable<LogEntry>): readonly LogEntry[] {
    this.#all = all;
    try {
      this.#bytes = statSync(this.#path).size;
      return readFileSync(this.#path, 'utf8').split('\n').flatMap(entryIn);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#fail(error);
      return [];
    }
  }

  note(entry: LogEntry): void {
    if (this.#broken) return;
    this.#waiting.push(JSON.stringify(entry));
    this.#timer ??= this.#clock.timer(this.#behind ? RETRY_MS : DELAY_MS, () => this.flush());
  }

  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#waiting.length === 0 || this.#broken) return;
    const text = `${this.#waiting.join('\n')}\n`;
    this.#waiting = [];
    try {
      // What could not be written before is still known: all of it is written anew.
      if (this.#behind) this.#renew();
      else appendFileSync(this.#path, text, { mode: 0o600 });
      this.#bytes += this.#behind ? 0 : Buffer.byteLength(text);
      this.#behind = false;
      if (this.#bytes > SPARE_BYTES + 2 * this.#needed) this.#renew();
    } catch (error) {
      if (!this.#behind) this.#log.warn({ err: error, file: this.#path }, 'what containers say is not kept at present');
      this.#behind = true;
    }
  }

  /** The same without what was forgotten, in one step: whoever reads it sees the one or the other. */
  #renew(): void {
    let text = '';
    for (const entry of this.#all()) text += `${JSON.stringify(entry)}\n`;
    const beside = `${this.#path}.new`;
    writeFileSync(beside, text, { mode: 0o600 });
    renameSync(beside, this.#path);
    this.#bytes = this.#needed = Buffer.byteLength(text);
  }

  #fail(error: unknown): void {
    this.#broken = true;
    this.#log.warn({ err: error, file: this.#path }, 'what containers say is not kept beyond this process');
  }
}

/** A line that was only half written says nothing. */
function entryIn(line: string): LogEntry[] {
  try {
    const entry: unknown = JSON.parse(line);
    return Array.isArray(entry) ? [entry as unknown as LogEntry] : [];
  } catch {
    return [];
  }
}
