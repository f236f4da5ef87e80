import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { surviveKillsOfUp } from '../kill/up-campaign.ts';

/** test/nightly runs hundreds of these. VIMANA_KILL_SEED=x repeats the run of seed x. */
const SEED = process.env['VIMANA_KILL_SEED'] ?? 'long';

it(`loses and duplicates nothing over 20 kills of vimana up (seed ${SEED})`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-up-kill-'));
  const story: string[] = [];
  try {
    const { kills, ends } = await surviveKillsOfUp({ folder, kills: 20, seed: SEED, log: (line) => story.push(line) });
    expect(kills).toBe(20);
    for (const kind of ['migrate', 'clone', 'restore', 'snapshot']) expect(ends).toHaveProperty(`${kind} Succeeded`);
  } catch (error) {
    throw new Error(`seed ${SEED}\n${story.join('\n')}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
