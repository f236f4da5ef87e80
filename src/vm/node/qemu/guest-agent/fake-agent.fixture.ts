import { Duplex } from 'node:stream';

/** Responses of a fake guest agent by command. A string is sent as it is, anything else as the result. */
export type AgentScript = (command: string, args: Readonly<Record<string, unknown>>) => unknown;

/** Channel whose other end is a guest agent that responds as a test says. */
export class FakeAgent extends Duplex {
  readonly executed: string[] = [];
  readonly #script: AgentScript;

  constructor(script: AgentScript) {
    super();
    this.#script = script;
  }

  override _read(): void {
    // It only responds.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    done();
    const text = chunk.toString('latin1').replaceAll('\u00FF', '');
    if (text === '') return;
    const { execute, arguments: args = {} } = JSON.parse(text) as { execute: string; arguments?: { id?: number } };
    this.executed.push(execute);
    const isSync = execute === 'guest-sync-delimited';
    const result = this.#script(execute, args) ?? (isSync ? args.id : undefined);
    if (result === SILENCE) return;
    if (isSync) this.push(Buffer.of(0xff));
    this.push(typeof result === 'string' ? `${result}\n` : `${JSON.stringify({ return: result ?? {} })}\n`);
  }
}

/** Result of a guest agent that does not respond. */
export const SILENCE = Symbol('silence');
