import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#platform/base/clock';
import type { ContainerLog, LogLine } from '#platform/kube/node-runtime';
import { QEMU_FILES } from '../command/qemu-command.ts';
import { waitForChange } from '../directory/wait-for-change.ts';
import { EARLIER_LOG } from './serial-log.ts';

export interface ConsoleLogDeps {
  readonly directory: string;
  readonly clock: Clock;
  /** The guest will print nothing more. */
  readonly hasEnded: () => boolean;
}

const CHUNK = 64 * 1024;
/** A longer line is split, so that a guest that never ends its line costs bounded memory. */
const MAX_LINE = 16 * 1024;
const WAIT_MS = 60_000;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Returns the serial log of a machine as lines. QEMU records no times: an existing line has the time of the last
 * output, and one that is followed the time at which it was read.
 */
export function consoleLog(deps: ConsoleLogDeps, signal: AbortSignal): ContainerLog {
  const reader = new LogReader(deps);
  return { lines: reader.existing(), following: reader.following(signal) };
}

/** Reads one file after the other: what the keeper set aside, and then the log as it grows. */
class LogReader {
  readonly #deps: ConsoleLogDeps;
  #offset = 0;
  #rest = '';
  #decoder = new TextDecoder();

  constructor(deps: ConsoleLogDeps) {
    this.#deps = deps;
  }

  async *existing(): AsyncGenerator<LogLine> {
    const { directory, clock } = this.#deps;
    for (const name of [EARLIER_LOG, QEMU_FILES.serialLog]) {
      await using file = await openIfPresent(join(directory, name));
      if (file === undefined) continue;
      const { mtimeMs } = await file.stat();
      this.#offset = 0;
      yield* this.#read(file, Math.min(Math.floor(mtimeMs), clock.now()));
    }
  }

  async *following(signal: AbortSignal): AsyncGenerator<LogLine> {
    const { clock, directory, hasEnded } = this.#deps;
    while (!signal.aborted) {
      const isLast = hasEnded();
      await using file = await openIfPresent(join(directory, QEMU_FILES.serialLog));
      if (file === undefined) break;
      // The keeper empties a log that has become too long.
      if ((await file.stat()).size < this.#offset) this.#offset = 0;
      yield* this.#read(file, clock.now());
      if (isLast) break;
      const { size } = await file.stat();
      if (size === this.#offset) await this.#waitForOutput(file, signal);
    }
    if (this.#rest !== '') yield { time: clock.now(), text: this.#rest };
  }

  async #waitForOutput(file: FileHandle, signal: AbortSignal): Promise<void> {
    const { directory, clock, hasEnded } = this.#deps;
    const hasChanged = async () =>
      signal.aborted || hasEnded() || (await file.stat()).size !== this.#offset ? true : undefined;
    // A directory that is gone has no further output.
    await waitForChange(directory, hasChanged, { clock, timeoutMs: WAIT_MS }).catch(() => undefined);
  }

  /** Yields the lines from the offset to the end of a file. What follows the last line break is kept for later. */
  async *#read(file: FileHandle, time: number): AsyncGenerator<LogLine> {
    const buffer = Buffer.alloc(CHUNK);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      const lines = (this.#rest + this.#decoder.decode(buffer.subarray(0, bytesRead), { stream: true })).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) yield* split(line, time);
      while (this.#rest.length > MAX_LINE) {
        yield { time, text: this.#rest.slice(0, MAX_LINE) };
        this.#rest = this.#rest.slice(MAX_LINE);
      }
    }
  }
}

function* split(line: string, time: number): Generator<LogLine> {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  for (let at = 0; at === 0 || at < text.length; at += MAX_LINE) yield { time, text: text.slice(at, at + MAX_LINE) };
}

async function openIfPresent(path: string): Promise<FileHandle | undefined> {
  return await open(path, FLAGS).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
