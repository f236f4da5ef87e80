import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { mind } from './minder.ts';
import type { Target } from './target.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../../bin/vimana');

/** A `vimana` process that serves an API, and the kubeconfig to access it. */
export interface RunningServer extends Target {
  readonly url: string;
  readonly pid: number;
}

/** Runs a `vimana` command against exactly one cluster. */
export function vimana(target: Target, ...args: string[]): SpawnSyncReturns<string> {
  const env = { PATH: process.env['PATH'], HOME: target.folder, KUBECONFIG: target.kubeconfig };
  return spawnSync(LAUNCHER, args, { encoding: 'utf8', env });
}

/** Starts `vimana apiserver` on a free port, with its own data directory. */
export async function startApiServer(...flags: string[]): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-e2e-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const data = join(folder, 'data');
  const args = ['apiserver', '--port', '0', '--data-dir', data, '--kubeconfig-out', kubeconfig, '--log-level', 'warn'];
  const child = spawn(LAUNCHER, [...args, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  mind(child, folder);
  const exited = once(child, 'exit');
  const ready = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const first = await Promise.race([ready, exited.then(() => undefined)]);
  if (first === undefined) throw new Error('vimana apiserver ended before it was ready');
  return {
    url: /https?:\S+/.exec(first[0])?.[0] ?? '',
    kubeconfig,
    folder,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts `vimana up` on free ports, with its own home directory unless one is given. */
export async function startUp(
  flags: readonly string[],
  given?: string,
  isNamed: 'named folder' | 'no folder' = 'named folder',
): Promise<RunningServer & { readonly said: () => string }> {
  const folder = given ?? mkdtempSync(join(tmpdir(), 'vimana-up-'));
  const data = join(folder, 'data');
  const kubeconfig = join(folder, 'kubeconfig');
  const where = isNamed === 'no folder' ? [] : ['--data-dir', data];
  const args = ['up', '--port', '0', ...where, '--kubeconfig-out', kubeconfig];
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: undefined };
  const child = spawn(LAUNCHER, [...args, ...flags], { stdio: ['ignore', 'pipe', 'inherit'], env });
  mind(child, given === undefined ? folder : undefined);
  const exited = once(child, 'exit');
  let said = '';
  const ready = new Promise<true>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('export KUBECONFIG=')) resolve(true);
    });
  });
  const first = await Promise.race([ready, exited.then(() => undefined)]);
  if (first === undefined) throw new Error(`vimana up ended before it was ready:\n${said}`);
  return {
    url: /https:\S+/.exec(said)?.[0] ?? '',
    kubeconfig,
    folder,
    pid: child.pid ?? 0,
    said: () => said,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      if (given === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
