import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import type { Clock, Timer } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { LogEntry, LogStore } from './container-logs.ts';

/** Maximum time that lines wait to be written together. */
const DELAY_MS = 250;
/** Delay before the next attempt after a failure, such as a full disk. */
const RETRY_MS = 10_000;
/** Minimum size of obsolete content before the file is rewritten. It must also be the larger part of the file. */
const SPARE_BYTES = 4 * 2 ** 20;

/**
 * Persists container output in a file for a restarted process, except for the last moments before a crash. Write
 * failures lose output but cause no errors.
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
      // Entries that could not be written are still in memory, so everything is rewritten.
      if (this.#behind) this.#renew();
      else appendFileSync(this.#path, text, { mode: 0o600 });
      this.#bytes += this.#behind ? 0 : Buffer.byteLength(text);
      this.#behind = false;
      if (this.#bytes > SPARE_BYTES + 2 * this.#needed) this.#renew();
    } catch (error) {
      if (!this.#behind) this.#log.warn({ err: error, file: this.#path }, 'failed to write container logs; retrying');
      this.#behind = true;
    }
  }

  /** Rewrites the file without obsolete entries, atomically for readers. */
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
    this.#log.warn({ err: error, file: this.#path }, 'container logs are not stored on disk');
  }
}

/** Parses a line. Ignores one that was only partly written. */
function entryIn(line: string): LogEntry[] {
  try {
    const entry: unknown = JSON.parse(line);
    return Array.isArray(entry) ? [entry as unknown as LogEntry] : [];
  } catch {
    return [];
  }
}
