import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { realClock } from '#platform/base/clock';
import type { HttpClient } from '#platform/kube/http/http-client';
import { clientOf } from '../cluster/client-of.ts';
import { mind } from '../e2e/support/minder.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../bin/vimana');
const FLAGS = ['--port', '0', '--nodes', '4', '--dialects', 'kubevirt,hypersdk', '--log-level', 'error'];

/** A `vimana up` that can be killed at any time and restarted on its data. */
export class DurableUp {
  readonly client: HttpClient;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, client: HttpClient) {
    this.#child = child;
    this.client = client;
  }

  static async start(folder: string): Promise<DurableUp> {
    const child = DurableUp.#spawn(folder);
    let said = '';
    const ready = new Promise<true>((done) => {
      child.stdout?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('export KUBECONFIG=')) done(true);
      });
    });
    const first = await Promise.race([ready, once(child, 'exit').then(() => undefined)]);
    if (first === undefined) throw new Error(`vimana up ended with ${child.exitCode} before it was ready:\n${said}`);
    return new DurableUp(child, await clientOf(kubeconfigIn(folder)));
  }

  /** Starts a process and kills it before it can be ready, or soon after. */
  static async killWhileStarting(folder: string, afterMs: number): Promise<void> {
    const child = DurableUp.#spawn(folder);
    const ended = once(child, 'exit');
    await Promise.race([realClock.sleep(afterMs), ended]);
    child.kill('SIGKILL');
    await ended;
  }

  /** Kills the process without warning, like a power failure. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
    await this.client.close();
  }

  static #spawn(folder: string): ChildProcess {
    const data = join(folder, 'data');
    // A directory with VMs rejects --empty.
    const empty = existsSync(join(data, 'introduced')) ? [] : ['--empty'];
    const args = ['up', '--data-dir', data, '--kubeconfig-out', kubeconfigIn(folder), ...empty, ...FLAGS];
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: undefined };
    const child = spawn(LAUNCHER, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
    mind(child);
    return child;
  }
}

const kubeconfigIn = (folder: string) => join(folder, 'kubeconfig');
