import { fstatSync, writeSync } from 'node:fs';

/** Receives whole lines of a log. */
export interface LogStream {
  write(line: string): void;
}

const STDERR = 2;

/**
 * Returns the log of a server: standard error. If that is a file, lines that a full disk rejects are lost and counted,
 * and the log continues once there is space again. The stream of Node.js stays unusable after its first failure.
 */
export function serverLog(): LogStream {
  if (fstatSync(STDERR).isFile()) return new FileLog(STDERR);
  return { write: (line) => void process.stderr.write(line) };
}

/** Writes lines to an open file, synchronously, so that the last ones of a process are not lost. */
export class FileLog implements LogStream {
  readonly #fd: number;
  readonly #append: (fd: number, bytes: Buffer) => number;
  #lost = 0;

  constructor(fd: number, append: (fd: number, bytes: Buffer) => number = writeSync) {
    this.#fd = fd;
    this.#append = append;
  }

  write(line: string): void {
    const note = this.#lost === 0 ? '' : `\n${this.#lost} lines of this log are missing: they could not be written\n`;
    try {
      for (let left = Buffer.from(note + line); left.length > 0; ) left = left.subarray(this.#append(this.#fd, left));
      this.#lost = 0;
    } catch {
      this.#lost++;
    }
  }
}
