import { readdir } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { hasQemu } from '#testing/programs';
import { newRoot, openDriver, removeMachines } from '../long/qemu/drivers.ts';
import { killRepeatedly } from '../long/qemu/kills.ts';

afterAll(removeMachines);

describe.skipIf(!hasQemu())('a node agent that is killed a hundred times', () => {
  it('loses no machine, runs none twice and leaves none behind', async () => {
    const root = await newRoot();
    await killRepeatedly(root, 100, 'nightly');
    const last = await openDriver(root);
    for (const { spec } of await last.list()) await last.remove(spec.id);
    expect((await readdir(root)).filter((name) => !name.startsWith('.'))).toEqual([]);
  });
});
