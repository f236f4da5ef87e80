import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { realClock } from '#platform/base/clock';
import { findAsset } from './assets.ts';
import { fingerprint, fingerprintFile } from './fingerprint.ts';
import { withLock } from './lock.ts';
import { RECIPES } from './recipes.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vimana-assets-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe('a program', () => {
  const program = (place: string, version: string): string => {
    const path = join(folder, place, 'etcd');
    mkdirSync(join(folder, place), { recursive: true });
    writeFileSync(path, `#!/bin/sh\necho etcd ${version}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  beforeEach(() => {
    vi.stubEnv('KUBE_ASSETS', join(folder, 'given'));
    vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
    vi.stubEnv('PATH', `${join(folder, 'path')}:/usr/bin:/bin`);
  });

  it('is found in KUBE_ASSETS, then in the cache, then in PATH', () => {
    expect(findAsset('etcd', '3.7.3')).toBeUndefined();
    const inPath = program('path', '3.7.3');
    expect(findAsset('etcd', '3.7.3')).toBe(inPath);
    const built = program('cache/vimana/assets', '3.7.3');
    expect(findAsset('etcd', '3.7.3')).toBe(built);
    const given = program('given', '3.7.3');
    expect(findAsset('etcd', '3.7.3')).toBe(given);
  });

  it('is not used from the cache if it was built from something else', () => {
    const built = program('cache/vimana/assets', '3.7.3');
    const file = fingerprintFile(join(folder, 'cache/vimana/assets'), 'etcd');
    writeFileSync(file, fingerprint(RECIPES.etcd));
    expect(findAsset('etcd', '3.7.3')).toBe(built);
    writeFileSync(file, fingerprint({ ...RECIPES.etcd, set: { 'main.version': 'another' } }));
    expect(findAsset('etcd', '3.7.3')).toBeUndefined();
  });

  it('of another version is not used from PATH', () => {
    program('path', '3.5.0');
    expect(findAsset('etcd', '3.7.3')).toBeUndefined();
  });
});

describe('the lock', () => {
  it('is held by one process at a time, and reports its holder', async () => {
    const path = join(folder, 'lock');
    const told: string[] = [];
    const say = (line: string) => void told.push(line);
    const first = withLock(path, say, async () => {
      say('first begins');
      await realClock.sleep(200);
      say('first ends');
    });
    const second = withLock(path, say, async () => say('second begins'));
    await Promise.all([first, second]);
    const waiting = `waiting for process ${process.pid}, which builds already`;
    expect(told).toEqual(['first begins', waiting, 'first ends', 'second begins']);
    expect(existsSync(path)).toBe(false);
  });

  it('is released after a failure, and if its holder has exited', async () => {
    const path = join(folder, 'lock');
    await expect(
      withLock(
        path,
        () => {},
        () => Promise.reject(new Error('no')),
      ),
    ).rejects.toThrow('no');
    const { pid } = spawnSync('true');
    writeFileSync(path, String(pid));
    let done = false;
    await withLock(
      path,
      () => {},
      async () => void (done = true),
    );
    expect(done).toBe(true);
  });
});
