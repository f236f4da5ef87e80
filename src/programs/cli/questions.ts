import { createInterface, type Interface } from 'node:readline';
import { VimanaError } from '#platform/base/errors';
import { EXIT_CODES, ReportedError } from './failure.ts';

interface Waiting {
  readonly resolve: (line: string) => void;
  readonly reject: (reason: Error) => void;
}

/** Asks the user questions on standard error, where no reader of the output sees them. */
export class Questions {
  #lines: Interface | undefined;
  /** Lines typed before a question was asked. */
  readonly #typed: string[] = [];
  #waiting: Waiting | undefined;
  #ended: Error | undefined;

  async ask(question: string): Promise<string> {
    this.#lines ??= this.#begun();
    process.stderr.write(question);
    const typed = this.#typed.shift();
    if (typed !== undefined) return typed;
    if (this.#ended !== undefined) throw this.#ended;
    this.#lines.resume();
    try {
      return await new Promise<string>((resolve, reject) => (this.#waiting = { resolve, reject }));
    } finally {
      this.#waiting = undefined;
      // Pauses so that only the command itself keeps the program running; a closed interface cannot be paused.
      if (this.#ended === undefined) this.#lines.pause();
    }
  }

  #begun(): Interface {
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true, prompt: '' });
    lines.on('line', (line) => {
      if (this.#waiting === undefined) this.#typed.push(line);
      else this.#waiting.resolve(line);
      this.#waiting = undefined;
    });
    const end = (reason: Error) => {
      this.#ended ??= reason;
      this.#waiting?.reject(this.#ended);
    };
    lines.on('SIGINT', () => {
      process.stderr.write('\n');
      end(new ReportedError(EXIT_CODES.interrupted));
      lines.close();
    });
    lines.on('close', () => end(new VimanaError('NO_ANSWER', 'the input ended before all questions were answered')));
    return lines;
  }
}
