import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ControlPlane } from '#control-plane/apiserver/control-plane';
import { realClock } from '#platform/base/clock';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { startVmControlPlane } from '#programs/embedded/control-plane';
import { memoryIo } from '#testing/memory-io';
import { backup, restore } from './backup.ts';

const root = mkdtempSync(join(tmpdir(), 'backup-'));
const dataDir = join(root, 'data');
const at = (name: string) => join(root, name);
const restoring = (file: string, more: object = {}) =>
  restore({ file: at(file), dataDir: at('restored'), replace: false, ...more }, memoryIo());

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startVmControlPlane({ dataDir, store: 'lmdb' });
  await plane.client().create(CONFIG_MAPS, { metadata: { name: 'one', namespace: 'default' }, data: { text: 'ü\n' } });
  writeFileSync(at('passphrase'), 'correct horse battery\n');
  writeFileSync(at('short'), 'short\n');
  writeFileSync(at('wrong'), 'another passphrase');
  await backup({ file: at('plain'), dataDir }, memoryIo());
  await backup({ file: at('sealed'), dataDir, passphraseFile: at('passphrase') }, memoryIo());
});
afterAll(async () => {
  await plane.stop();
  rmSync(root, { recursive: true, force: true });
});

describe('a backup', () => {
  it('shows its progress and that of a restore on a terminal', async () => {
    const lines: string[] = [];
    const io = { ...memoryIo(), rewrite: (line: string) => void lines.push(line) };
    // Every look at this clock takes more than a second.
    let now = 0;
    const slow = { ...realClock, monotonic: () => (now += 1_500) };
    await backup({ file: at('shown'), dataDir }, io, slow);
    expect(lines[0]).toMatch(/^1 of \d+ objects written$/);
    expect(lines.at(-1)).toBe('');
    lines.length = 0;
    await restore({ file: at('shown'), dataDir: at('restored-shown'), replace: false }, io, slow);
    expect(lines[0]).toBe('1 lines read');
    expect(lines.some((line) => /^writing \d+ objects$/.test(line))).toBe(true);
    expect(lines.at(-1)).toBe('');
  });

  it('is readable only by its owner, reports its content, and reveals nothing if it is encrypted', async () => {
    for (const name of ['plain', 'sealed']) expect(statSync(at(name)).mode & 0o777).toBe(0o600);
    const io = memoryIo();
    await backup({ file: at('again'), dataDir }, io);
    expect(io.printed.out).toMatch(/again: \d+ objects, at revision \d+\n/);
    expect(io.printed.err).toContain('It contains every Secret');
    expect(readFileSync(at('sealed'), 'latin1').split('\n')[0]).toMatch(
      /^\{"format":"vimana-backup\/1".*"aes-256-gcm"/,
    );
  });

  it('overwrites nothing, and leaves nothing behind on failure', async () => {
    writeFileSync(at('mine'), 'mine');
    await expect(backup({ file: at('mine'), dataDir }, memoryIo())).rejects.toThrow('is not overwritten');
    expect(readFileSync(at('mine'), 'utf8')).toBe('mine');
    await expect(backup({ file: at('new'), dataDir, passphraseFile: at('short') }, memoryIo())).rejects.toThrow(
      'too short',
    );
    await expect(backup({ file: at('new'), dataDir: at('nowhere') }, memoryIo())).rejects.toThrow(
      'no objects found in',
    );
    expect(existsSync(at('new'))).toBe(false);
  });
});

describe('a restore', () => {
  it('rejects a directory that is in use, and one with data unless --replace is set', async () => {
    await expect(restoring('plain', { dataDir, replace: true })).rejects.toThrow('is in use');
    mkdirSync(at('full'));
    writeFileSync(at('full/introduced'), '');
    await expect(restoring('plain', { dataDir: at('full') })).rejects.toThrow('already contains data: introduced');
    await restoring('plain', { dataDir: at('full'), replace: true });
    expect(readdirSync(at('full')).toSorted()).toEqual([
      'events',
      'events.head',
      'folder.lock',
      'objects',
      'objects.head',
      'pki',
      expect.stringMatching(/^replaced-/),
    ]);
  });

  it('restores objects, keys and tokens, with revisions that were never served', async () => {
    await restoring('sealed', { passphraseFile: at('passphrase') });
    const restored = await startVmControlPlane({ dataDir: at('restored'), store: 'lmdb' });
    try {
      expect(restored.adminToken).toBe(plane.adminToken);
      expect(restored.pki.caPem).toBe(plane.pki.caPem);
      const one = await restored.client().get(CONFIG_MAPS, 'one', { namespace: 'default' });
      expect(one).toEqual(await plane.client().get(CONFIG_MAPS, 'one', { namespace: 'default' }));
      for (const name of ['main', 'events'] as const) {
        expect(restored.backend.stores[name].compacted).toBeGreaterThan(plane.backend.stores[name].revision + 1e9);
      }
    } finally {
      await restored.stop();
    }
  });

  it.each([
    ['is encrypted', 'sealed', {}, 'is encrypted'],
    [
      'has another passphrase',
      'sealed',
      { passphraseFile: at('wrong') },
      'the passphrase is wrong, or the file was modified',
    ],
    ['is not a backup', 'passphrase', {}, 'it is not a backup'],
    ['does not exist', 'nothing', {}, 'ENOENT'],
  ])('changes nothing if the backup %s', async (_what, file, more, message) => {
    await expect(restoring(file, { dataDir: at('none'), ...more })).rejects.toThrow(message);
    expect(existsSync(at('none'))).toBe(false);
  });

  it.each(['plain', 'sealed'])('detects any change or truncation of a %s backup', async (file) => {
    const bytes = readFileSync(at(file));
    const more = { dataDir: at('none'), ...(file === 'sealed' ? { passphraseFile: at('passphrase') } : {}) };
    // Each attempt with a passphrase takes long, on purpose.
    for (const place of file === 'plain' ? [1, 30, bytes.length >> 1, bytes.length - 1] : [bytes.length - 20]) {
      const flipped = Buffer.from(bytes);
      flipped[place]! ^= 1;
      writeFileSync(at('damaged'), flipped);
      await expect(restoring('damaged', more), `byte ${place}`).rejects.toThrow('cannot be read');
      writeFileSync(at('damaged'), bytes.subarray(0, place));
      await expect(restoring('damaged', more), `${place} bytes`).rejects.toThrow('cannot be read');
    }
    expect(existsSync(at('none'))).toBe(false);
  });

  it('is not served before it is finished', async () => {
    mkdirSync(at('half/restoring'), { recursive: true });
    await expect(startVmControlPlane({ dataDir: at('half'), store: 'lmdb' })).rejects.toThrow('was not finished');
  });
});
