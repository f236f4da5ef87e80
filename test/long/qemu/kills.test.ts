import { readdir } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { hasQemu } from '#testing/programs';
import { newRoot, openDriver, removeMachines } from './drivers.ts';
import { killRepeatedly } from './kills.ts';

const KILLS = 20;

afterAll(removeMachines);

describe.skipIf(!hasQemu())('a node agent that is killed at any time', () => {
  it(`loses no machine, runs none twice and leaves none behind in ${KILLS} kills`, async () => {
    const root = await newRoot();
    await killRepeatedly(root, KILLS, 'kills');
    const last = await openDriver(root);
    for (const { spec } of await last.list()) await last.remove(spec.id);
    expect((await readdir(root)).filter((name) => !name.startsWith('.'))).toEqual([]);
  });
});
