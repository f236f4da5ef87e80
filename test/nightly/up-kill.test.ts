import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { surviveKillsOfUp } from '../kill/up-campaign.ts';

/** VIMANA_KILL_SEED=x,y repeats the runs of seeds x and y, each with a hundred kills. */
const SEEDS = process.env['VIMANA_KILL_SEED']?.split(',') ?? ['night', 'day'];

it.each(SEEDS)('loses and duplicates nothing over 100 kills of vimana up (seed %s)', async (seed) => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-up-kill-'));
  const story: string[] = [];
  try {
    const survival = await surviveKillsOfUp({ folder, kills: 100, seed, log: (line) => story.push(line) });
    process.stdout.write(`seed ${seed}: ${JSON.stringify(survival)}\n`);
    expect(survival.kills).toBe(100);
    for (const kind of ['migrate', 'clone', 'restore', 'snapshot'])
      expect(survival.ends).toHaveProperty(`${kind} Succeeded`);
  } catch (error) {
    throw new Error(`seed ${seed}\n${story.join('\n')}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
