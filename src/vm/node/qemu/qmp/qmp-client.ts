import type { Readable, Writable } from 'node:stream';
import type { Clock, Timer } from '#platform/base/clock';
import { LineSplitter } from './line-splitter.ts';
import { QmpConnectionError, QmpError } from './qmp-error.ts';

export interface QmpEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Connection to QEMU: the two halves of a socket, or the standard streams of a process. */
export interface QmpStreams {
  readonly readable: Readable;
  readonly writable: Writable;
}

export interface QmpOptions {
  readonly clock: Clock;
  /** Called for every event. Events only say that something changed: what holds now is for a query to tell. */
  readonly onEvent?: (event: QmpEvent) => void;
  /** Called once when the connection has ended, on either side. */
  readonly onClose?: () => void;
}

interface PendingCommand {
  readonly command: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: Timer;
}

/** The schema, the longest response, has about 300 KB. */
const MAX_LINE = 8 << 20;
const COMMAND_TIMEOUT_MS = 20_000;

/**
 * Client of the QEMU Machine Protocol on one connection. QEMU serves one client at a time on a socket, so that a
 * second connection waits for its greeting until the first one ends.
 */
export class QmpClient {
  readonly #streams: QmpStreams;
  readonly #options: QmpOptions;
  readonly #lines = new LineSplitter(MAX_LINE);
  readonly #pending = new Map<number, PendingCommand>();
  readonly #greeting = Promise.withResolvers<void>();
  #nextId = 1;
  #closed: Error | undefined;

  private constructor(streams: QmpStreams, options: QmpOptions) {
    this.#streams = streams;
    this.#options = options;
    streams.readable.on('data', (chunk: Buffer) => this.#read(chunk));
    for (const stream of [streams.readable, streams.writable]) {
      stream.on('error', (error: Error) => this.#end(error)).on('close', () => this.#end());
    }
  }

  /** Waits for QEMU's greeting and leaves the negotiation mode, in which QEMU accepts no other command. */
  static async open(streams: QmpStreams, options: QmpOptions): Promise<QmpClient> {
    const client = new QmpClient(streams, options);
    const timer = options.clock.timer(COMMAND_TIMEOUT_MS, () => client.#end(new Error('no greeting')));
    try {
      await client.#greeting.promise;
    } finally {
      timer.cancel();
    }
    await client.execute('qmp_capabilities');
    return client;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** Executes a command. Rejects with QmpError if QEMU rejects it, and with QmpConnectionError if it does not respond. */
  async execute<T = unknown>(
    command: string,
    args?: Readonly<Record<string, unknown>>,
    timeoutMs = COMMAND_TIMEOUT_MS,
  ): Promise<T> {
    if (this.#closed !== undefined) throw this.#closed;
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = this.#options.clock.timer(timeoutMs, () => {
      this.#pending.delete(id);
      reject(new QmpConnectionError(`QEMU did not respond to ${command} within ${timeoutMs} ms`));
    });
    this.#pending.set(id, { command, resolve, reject, timer });
    this.#streams.writable.write(
      `${JSON.stringify({ execute: command, ...(args === undefined ? {} : { arguments: args }), id })}\n`,
    );
    return (await promise) as T;
  }

  close(): void {
    this.#destroy();
    this.#end();
  }

  #destroy(): void {
    this.#streams.readable.destroy();
    this.#streams.writable.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#closed !== undefined) return;
    try {
      for (const line of this.#lines.push(chunk)) if (line !== '') this.#handle(JSON.parse(line) as QmpMessage);
    } catch (error) {
      this.#destroy();
      this.#end(error);
    }
  }

  #handle(message: QmpMessage): void {
    if (message.QMP !== undefined) return this.#greeting.resolve();
    if (message.event !== undefined) {
      return this.#options.onEvent?.({ event: message.event, data: message.data ?? {} });
    }
    const pending = this.#pending.get(message.id ?? 0);
    // The response to a command that was given up on arrives here as well.
    if (pending === undefined) return;
    this.#pending.delete(message.id ?? 0);
    pending.timer.cancel();
    const { error } = message;
    if (error === undefined) pending.resolve(message.return);
    else pending.reject(new QmpError(pending.command, error.class, error.desc));
  }

  #end(cause?: unknown): void {
    if (this.#closed !== undefined) return;
    this.#closed = new QmpConnectionError('the connection to QEMU has ended', cause);
    this.#greeting.promise.catch(() => undefined);
    this.#greeting.reject(this.#closed);
    for (const { reject, timer } of this.#pending.values()) {
      timer.cancel();
      reject(this.#closed);
    }
    this.#pending.clear();
    this.#options.onClose?.();
  }
}

interface QmpMessage {
  readonly QMP?: unknown;
  readonly event?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly id?: number;
  readonly return?: unknown;
  readonly error?: { readonly class: string; readonly desc: string };
}
