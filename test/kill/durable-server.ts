import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const LAUNCHER = resolve(import.meta.dirname, '../../bin/vimana');

/** A `vimana apiserver` that can be killed at any time and restarted on its data. */
export class DurableServer {
  readonly url: string;
  readonly token: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string, token: string) {
    this.#child = child;
    this.url = url;
    this.token = token;
  }

  static async start(dataDir: string): Promise<DurableServer> {
    const child = DurableServer.spawn(dataDir);
    const ended = once(child, 'exit').then(() => undefined);
    const line = await Promise.race([once(createInterface(child.stdout!), 'line'), ended]);
    if (line === undefined) throw new Error(`the server ended before it was ready: ${child.exitCode}`);
    const url = /https:\S+/.exec(String(line[0]))?.[0] ?? '';
    return new DurableServer(child, url, readFileSync(join(dataDir, 'pki', 'admin.token'), 'utf8').trim());
  }

  /** Starts a process. The caller stops it. */
  static spawn(dataDir: string): ChildProcess {
    const args = ['apiserver', '--port', '0', '--data-dir', dataDir, '--log-level', 'warn'];
    return spawn(LAUNCHER, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  /** Kills the process without warning, like a power failure. */
  async kill(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
