import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, vi } from 'vitest';
import { mind } from './minder.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../../bin/vimana');

/** Resolves when it serves, which is when the VMs of its scenario are scheduled. */
const READY_WITHIN = 120_000;

/** A `vimana exporter` process. */
export async function startExporter(flags: readonly string[], env: NodeJS.ProcessEnv) {
  // The token file is created in this directory.
  const folder = mkdtempSync(join(tmpdir(), 'vimana-exporter-'));
  const child = spawn(LAUNCHER, ['exporter', '--port', '0', ...flags], {
    env: { PATH: process.env['PATH'], XDG_DATA_HOME: folder, ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  mind(child, folder);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exited = once(child, 'exit');
  const url = await vi.waitFor(
    () => {
      const found = /serving metrics url=(\S+)/.exec(said)?.[1];
      if (found === undefined) throw new Error(`not serving yet:\n${said}`);
      return found;
    },
    { timeout: READY_WITHIN, interval: 50 },
  );
  const get = async (path: string) => (await fetch(`${url}${path}`)).text();
  return {
    url,
    said: () => said,
    get,
    json: async (path: string) => JSON.parse(await get(path)) as Record<string, unknown>,
    post: async (path: string, body: unknown) =>
      (await (await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })).json()) as object,
    stop: async () => {
      child.kill('SIGTERM');
      expect((await exited)[0]).toBe(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
