import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { hasQemu, reportSkipped } from '#testing/programs';
import { isoImage } from '#vm/node/qemu/seed/iso-image';
import { openDriver, removeMachines, specOf } from './drivers.ts';
import { createOverlay, guestImage } from './guest.ts';

const MIB = 2 ** 20;
const WAIT = { timeout: 120_000, interval: 200 };
const SCRIPT = '#!/bin/sh\ndd if=/dev/urandom of=/dev/vda bs=1M seek=64 count=100 && echo all is written\n';

/** A file system that is small enough to be filled needs the permission to mount one. */
const canMount = () => {
  if (process.getuid?.() === 0) return true;
  reportSkipped('a full disk below real VMs, because that needs root permissions');
  return false;
};

describe.skipIf(!hasQemu() || !canMount())('a real machine on a full disk', () => {
  let root: string;
  afterAll(async () => {
    await removeMachines();
    spawnSync('umount', ['--lazy', root]);
    rmSync(root, { recursive: true, force: true });
  });

  it('is paused, and resumes by itself when there is room again', async () => {
    root = await mkdtemp(join(tmpdir(), 'vimana-full-'));
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', root]).status).toBe(0);
    const image = await guestImage();
    const driver = await openDriver(root, {
      async prepareDisks(_spec, directory) {
        createOverlay(image, join(directory, 'root.qcow2'));
        spawnSync('qemu-img', ['resize', '-q', join(directory, 'root.qcow2'), '512M']);
        const files = { 'user-data': Buffer.from(SCRIPT), 'meta-data': Buffer.from('local-hostname: full\n') };
        await writeFile(join(directory, 'seed.iso'), isoImage('cidata', files));
        return [
          { name: 'root', file: 'root.qcow2', format: 'qcow2', readonly: false },
          { name: 'seed', file: 'seed.iso', format: 'raw', readonly: true },
        ];
      },
    });
    const ballast = join(root, '.ballast');
    writeFileSync(ballast, Buffer.alloc(260 * MIB));
    await driver.start(specOf('full'));
    const stateIs = (state: string, diskFull: boolean) => async () => {
      const machine = await driver.inspect('full');
      return machine?.state === state && (machine.diskFull ?? false) === diskFull;
    };
    await vi.waitUntil(stateIs('paused', true), WAIT);
    rmSync(ballast);
    await vi.waitUntil(stateIs('running', false), WAIT);
    const machine = await driver.inspect('full');
    expect(machine?.ended).toBeUndefined();
  });
});
