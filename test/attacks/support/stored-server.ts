import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { mind } from '../../e2e/support/minder.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../../bin/vimana');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a Vimana command with a umask that makes files readable for all users unless the program restricts them. */
export async function runVimana(...args: string[]): Promise<Ended> {
  const { child, said } = spawnVimana(args);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, ...said };
}

/** A `vimana apiserver` on a data directory that is controlled by an attacker. */
export class StoredServer {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #token: string;

  private constructor(child: ChildProcess, url: string, token: string) {
    this.pid = child.pid ?? 0;
    this.#child = child;
    this.#url = url;
    this.#token = token;
  }

  static async start(dataDir: string, ...flags: string[]): Promise<StoredServer> {
    const args = ['apiserver', '--insecure-http', '--port', '0', '--data-dir', dataDir, '--no-controllers', ...flags];
    const { child, said } = spawnVimana(args);
    const ended = once(child, 'close').then(() => undefined);
    const line = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
    if (line === undefined) throw new Error(`the server ended before it was ready: ${said.err}`);
    const url = /http:\S+/.exec(String(line[0]))?.[0] ?? '';
    return new StoredServer(child, url, readFileSync(join(dataDir, 'pki', 'admin.token'), 'utf8').trim());
  }

  async send(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const ended = once(this.#child, 'close');
    this.#child.kill(signal);
    await ended;
  }
}

function spawnVimana(args: readonly string[]) {
  // A limit on the file size simulates a full disk: writes fail without terminating the process.
  const command = 'umask 000; trap "" XFSZ; exec "$0" "$@"';
  const child = spawn('sh', ['-c', command, LAUNCHER, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  mind(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
  return { child, said };
}
