import { Duplex } from 'node:stream';

export interface ConsoleSessionOptions {
  /** The session may type. */
  readonly input: boolean;
  /** Sends typed bytes to the guest, and calls back when it can take more. */
  readonly type: (session: ConsoleSession, bytes: Buffer, done: (error?: Error | null) => void) => void;
  readonly onClose: (session: ConsoleSession) => void;
}

/** Maximum output that waits for a slow reader. */
const MAX_BACKLOG = 256 * 1024;

/** One reader of a console. A reader that is too slow misses output and is told so; it never delays the guest. */
export class ConsoleSession extends Duplex {
  readonly input: boolean;
  readonly #options: ConsoleSessionOptions;
  #backlog: Buffer[] = [];
  #length = 0;
  #skipped = 0;
  #wantsMore = false;
  #isFinished = false;

  constructor(options: ConsoleSessionOptions) {
    super({ allowHalfOpen: false });
    this.input = options.input;
    this.#options = options;
  }

  /** Adds output of the guest. */
  offer(output: Buffer): void {
    if (this.#isFinished) return;
    this.#backlog.push(output);
    this.#length += output.length;
    while (this.#length > MAX_BACKLOG) {
      const { length = 0 } = this.#backlog.shift() ?? {};
      this.#length -= length;
      this.#skipped += length;
    }
    this.#flush();
  }

  /** Prints a line that does not come from the guest. */
  notify(text: string): void {
    this.offer(Buffer.from(`\r\n[vimana: ${text}]\r\n`));
  }

  /** Ends the session after all output, because the console has ended. */
  finish(): void {
    if (this.#isFinished || this.destroyed) return;
    this.#isFinished = true;
    for (const output of this.#backlog) this.push(output);
    this.#backlog = [];
    this.push(null);
  }

  override _read(): void {
    this.#wantsMore = true;
    this.#flush();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#options.type(this, chunk, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#backlog = [];
    this.#options.onClose(this);
    done(error);
  }

  #flush(): void {
    while (this.#wantsMore && this.#backlog.length > 0 && !this.destroyed) {
      const skipped = this.#skipped;
      this.#skipped = 0;
      if (skipped > 0) this.push(Buffer.from(`\r\n[vimana: ${skipped} bytes of output skipped]\r\n`));
      const next = this.#backlog.shift() as Buffer;
      this.#length -= next.length;
      this.#wantsMore = this.push(next);
    }
  }
}
