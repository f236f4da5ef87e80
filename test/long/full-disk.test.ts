import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { SmallFileSystem } from '#testing/small-file-system';
import { WAIT } from '#testing/wait';
import { Kubectl } from '../e2e/support/kubectl.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../bin/vimana');
const home = mkdtempSync(join(tmpdir(), 'vimana-full-disk-'));
const disk = SmallFileSystem.mount('vimana up on a full disk', 24);
const tiny = SmallFileSystem.mount('vimana up on a tiny disk', 3);

function vimana(...args: readonly string[]) {
  const env = { PATH: process.env['PATH'], HOME: home };
  const { status, stdout, stderr } = spawnSync(LAUNCHER, args, { encoding: 'utf8', env });
  return { code: status, out: stdout, err: stderr };
}

const dataDir = join(disk?.directory ?? '', 'x');

afterAll(() => {
  if (disk !== undefined && existsSync(dataDir)) vimana('delete', '--data-dir', dataDir);
  for (const each of [disk, tiny]) each?.unmount();
  rmSync(home, { recursive: true, force: true });
});

describe.skipIf(disk === undefined || tiny === undefined)('a full disk', () => {
  it('with data directory and log does not end vimana up, which continues once there is space', async () => {
    expect(vimana('up', '--detach', '--port', '0', '--data-dir', dataDir, '--empty', '--nodes', '1')).toMatchObject({
      code: 0,
    });
    const [{ pid }] = JSON.parse(vimana('ls', '-o', 'json').out) as [{ readonly pid: number }];
    const kubectl = new Kubectl(join(dataDir, 'kubeconfig'), home);
    const create = (name: string) =>
      kubectl.run(['create', 'configmap', name, `--from-literal=text=${'x'.repeat(3_000)}`]);
    const filler = disk?.fill() ?? '';
    for (let i = 0; i < 5; i++) {
      expect(await create(`full-${i}`)).toMatchObject({
        code: 1,
        err: expect.stringContaining('no space left on device: 0.0 MiB are available'),
      });
    }
    expect((await kubectl.run(['get', '--raw', '/readyz'])).err).toContain('no space left on device');
    expect((await kubectl.ok('get nodes -o name')).trim()).toMatch(/^node\//);

    rmSync(filler);
    await vi.waitFor(async () => expect(await create('after')).toMatchObject({ code: 0 }), WAIT);
    expect(() => process.kill(pid, 0)).not.toThrow();
    await vi.waitFor(
      () => expect(readFileSync(join(dataDir, 'up.log'), 'utf8')).toContain('accepts writes again'),
      WAIT,
    );
    const log = readFileSync(join(dataDir, 'up.log'), 'utf8');
    expect(log).not.toMatch(/\n {4}at |Write error|internal error/);
    expect(log.split('\n').length).toBeLessThan(60);
    expect(vimana('down', '--data-dir', dataDir)).toMatchObject({ code: 0 });
  });

  it('that is too small is reported at the start', () => {
    const flags = ['up', '--port', '0', '--empty', '--data-dir', join(tiny?.directory ?? '', 'x')];
    for (const more of [[], ['--detach']]) {
      const { code, err } = vimana(...flags, ...more);
      expect(code).toBe(1);
      expect(err).toMatch(/error: the data directory \S+ cannot be written: no space left on device: [23]\.\d MiB are/);
      expect(err).toContain('--data-dir');
      expect(err).not.toMatch(/\n {4}at /);
    }
    tiny?.fill();
    expect(vimana(...flags, '--detach')).toMatchObject({ code: 1, err: expect.stringContaining('no space left') });
  });
});
