import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Health } from './server.ts';

/** A server in its own process, so that a crash or an endless loop fails a test instead of terminating it. */
export class AttackedServer {
  readonly port: number;
  readonly token: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, { port, token }: { port: number; token: string }) {
    this.#child = child;
    this.port = port;
    this.token = token;
  }

  /** Certificates and keys are in the directory, if one is given. */
  static async start(dataDir?: string): Promise<AttackedServer> {
    const args = dataDir === undefined ? [] : [dataDir];
    const child = fork(new URL('server.ts', import.meta.url), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const ended = once(child, 'exit').then(() => undefined);
    const first = await Promise.race([once(child, 'message'), ended]);
    if (first === undefined) throw new Error('the server ended before it was ready');
    return new AttackedServer(child, first[0] as { port: number; token: string });
  }

  /** Throws if the server has exited, or does not respond in time. */
  async health(): Promise<Health> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) throw new Error(`the server ended: ${exitCode ?? signalCode}`);
    const answer = once(this.#child, 'message', { signal: AbortSignal.timeout(TIMEOUT) });
    this.#child.send('health');
    const [health] = (await answer) as [Health];
    return health;
  }

  /** Throws if the server does not exit in time, and kills the process even then. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit', { signal: AbortSignal.timeout(TIMEOUT) });
    this.#child.disconnect();
    try {
      await ended;
    } catch (error) {
      this.#child.kill('SIGKILL');
      throw new Error('the server does not stop', { cause: error });
    }
  }
}

const TIMEOUT = 60_000;
