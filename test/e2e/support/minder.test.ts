import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, vi } from 'vitest';
import { WAIT } from '#testing/wait';

/** Starts a supervised process, prints its process ID, and waits. */
const SCRIPT = `
  import { spawn } from 'node:child_process';
  import { mind } from ${JSON.stringify(resolve(import.meta.dirname, 'minder.ts'))};
  const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
  mind(child, process.argv[1]);
  console.log(child.pid);
  setInterval(() => {}, 1000);`;

const isThere = (pid: number) => existsSync(`/proc/${pid}`);

it('a server that a test has started stops when the test is killed, and its directory is deleted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-minder-'));
  const test = spawn(process.execPath, ['--input-type=module-typescript', '--eval', SCRIPT, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(test.stdout), 'line')) as [string];
  const pid = Number(line);
  expect(isThere(pid)).toBe(true);
  test.kill('SIGKILL');
  await vi.waitFor(() => expect([isThere(pid), existsSync(folder)]).toEqual([false, false]), WAIT);
});
