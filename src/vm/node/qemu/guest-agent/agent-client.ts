import type { Duplex } from 'node:stream';
import type { Clock } from '#platform/base/clock';
import { GuestAgentError } from '../../machine-driver.ts';
import { LineSplitter } from '../qmp/line-splitter.ts';
import { parseAgentMessage } from './agent-message.ts';

/** Begins the response to guest-sync-delimited, and resets the parser of the guest agent. */
const DELIMITER = 0xff;
/** Output of a command is the longest response. */
const MAX_LINE = 12 << 20;
export const AGENT_TIMEOUT_MS = 10_000;

/** Response that is waited for. */
interface PendingResponse {
  readonly resolve: (line: string) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Client of a guest agent on one connection, for one command after the other. Everything that it reads was written by
 * the guest: sizes, nesting and times are bounded, and after any irregularity the connection is closed.
 */
export class AgentClient {
  readonly #socket: Duplex;
  readonly #clock: Clock;
  readonly #lines = new LineSplitter(MAX_LINE);
  #pending: PendingResponse | undefined;
  #failure: Error | undefined;
  /** Discards what earlier connections requested, until the delimiter. */
  #isSyncing = true;

  constructor(socket: Duplex, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.#fail(error.message)).on('close', () => this.#fail('the connection has ended'));
  }

  /** Makes sure that the guest agent responds to this connection, and not to an earlier one. */
  async sync(id: number): Promise<void> {
    this.#isSyncing = true;
    this.#socket.write(Buffer.of(DELIMITER));
    const response = await this.execute('guest-sync-delimited', { id });
    if (response === id) return;
    this.#fail('it responded to another request');
    throw this.#failure as Error;
  }

  /** Executes a command. Rejects with GuestAgentError if it fails, or has no response in time. */
  async execute(
    command: string,
    args?: Readonly<Record<string, unknown>>,
    timeoutMs = AGENT_TIMEOUT_MS,
  ): Promise<unknown> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#pending !== undefined) throw new Error('the guest agent executes one command at a time');
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#pending = { resolve, reject };
    const timer = this.#clock.timer(timeoutMs, () => this.#fail(`no response to ${command} within ${timeoutMs} ms`));
    this.#socket.write(`${JSON.stringify({ execute: command, ...(args === undefined ? {} : { arguments: args }) })}\n`);
    try {
      return parseAgentMessage(command, await promise);
    } finally {
      timer.cancel();
      this.#pending = undefined;
    }
  }

  close(): void {
    this.#fail('the connection was closed');
  }

  #read(chunk: Buffer): void {
    const bytes = this.#isSyncing ? this.#afterDelimiter(chunk) : chunk;
    if (bytes === undefined || this.#failure !== undefined) return;
    try {
      for (const line of this.#lines.push(bytes)) {
        // The guest agent says nothing on its own.
        if (line !== '') this.#pending?.resolve(line);
      }
    } catch {
      this.#fail(`a response is longer than ${MAX_LINE} bytes`);
    }
  }

  #afterDelimiter(chunk: Buffer): Buffer | undefined {
    const at = chunk.lastIndexOf(DELIMITER);
    if (at === -1) return undefined;
    this.#isSyncing = false;
    return chunk.subarray(at + 1);
  }

  #fail(why: string): void {
    this.#failure ??= new GuestAgentError(`the guest agent failed: ${why}`);
    this.#pending?.reject(this.#failure);
    this.#socket.destroy();
  }
}
