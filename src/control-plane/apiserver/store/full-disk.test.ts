import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { hasPrograms } from '#testing/programs';
import { openLmdbStore } from './lmdb-store.ts';

/** A limit on the file size simulates a full disk: writes fail the same way, and it can be lifted. */
const canLimit = hasPrograms('a full disk', 'prlimit');

it.skipIf(!canLimit)('fails writes while the disk is full, and continues when there is space again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'full-disk-'));
  const script = new URL('full-disk-writer.contract.ts', import.meta.url).pathname;
  const command = 'trap "" XFSZ; ulimit -S -f 2000; exec "$0" "$@"';
  const writer = spawn('sh', ['-c', command, process.execPath, script, directory], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    const lines = createInterface(writer.stdout)[Symbol.asyncIterator]();
    const full = JSON.parse((await lines.next()).value as string);
    expect(full.failures).toEqual(['Unavailable']);
    expect(full.revision).toBeGreaterThan(100);
    expect(full.acknowledged).toBe(full.revision);

    expect(spawnSync('prlimit', ['--pid', String(writer.pid), '--fsize=unlimited']).status).toBe(0);
    writer.stdin.write('\n');
    expect(JSON.parse((await lines.next()).value as string)).toBe(full.revision + 1);
    await lines.next();

    const store = await openLmdbStore({ directory, clock: { monotonic: () => 0 } });
    expect(store.revision).toBe(full.revision + 1);
    expect(store.get('/after')).toBeDefined();
    expect(store.range({ prefix: '/r/' }).entries.every(({ value }) => value === 'x'.repeat(2_000))).toBe(true);
    await store.close();
  } finally {
    writer.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
});
