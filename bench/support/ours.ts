import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Target } from './target.ts';

/** Starts a durable `vimana apiserver` as users do, on a free port. */
export async function startOurs(folder: string): Promise<Target> {
  const launcher = resolve(import.meta.dirname, '../../bin/vimana');
  const began = performance.now();
  const args = ['apiserver', '--port', '0', '--data-dir', folder, '--log-level', 'warn'];
  const child = spawn(launcher, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const url = /https:\S+/.exec(line)?.[0] ?? '';
  return {
    name: 'vimana apiserver',
    url,
    token: readFileSync(join(folder, 'pki', 'admin.token'), 'utf8').trim(),
    readyMs: performance.now() - began,
    pids: [child.pid ?? 0],
    stop: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}
