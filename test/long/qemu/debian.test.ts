import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hasPrograms, hasQemu } from '#testing/programs';
import { debianGuest } from './debian-guest.ts';
import { newRoot, openDriver, prepareDisks, removeMachines, SECRET_TEXT, seededSpec } from './drivers.ts';

const MEMORY = 512 * 2 ** 20;
const WAIT = { timeout: 20 * 60_000, interval: 500 };
const LAYOUTS = ['cloudInitNoCloud', 'cloudInitConfigDrive'] as const;

afterEach(removeMachines);

const canBuild = hasPrograms('a Debian guest with cloud-init', 'mmdebstrap', 'genext2fs');

describe.skipIf(!hasQemu() || !canBuild)('real cloud-init', () => {
  it('applies user data of a Secret from NoCloud and ConfigDrive', async () => {
    const image = await debianGuest();
    const root = await newRoot();
    const driver = await openDriver(root, {
      prepareDisks: (spec, directory) => prepareDisks(spec, directory, image),
    });
    const serialLog = (id: string) => readFile(join(root, id, 'serial.log'), 'utf8');
    // Both boot at once, which takes as long as one on a host with two processors.
    await Promise.all(
      LAYOUTS.map(async (layout) => {
        await driver.start({ ...seededSpec(layout.toLowerCase(), layout), memoryBytes: MEMORY });
      }),
    );
    for (const layout of LAYOUTS) {
      const id = layout.toLowerCase();
      const applied = `applied ${SECRET_TEXT} on ${id}`;
      await vi.waitUntil(async () => (await serialLog(id)).includes(applied), WAIT);
      expect(await readFile(join(root, id, 'machine.json'), 'utf8')).not.toContain(SECRET_TEXT);
    }
  });
});
