import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { surviveKills } from '../kill/kill-campaign.ts';

/** Nightly tests use another seed. */
const SEEDS = (process.env['VIMANA_STORE_KILL_SEED'] ?? 'one').split(',');

for (const seed of SEEDS) {
  it(`keeps every acknowledged write over HTTPS, whole, over 150 kills under load (seed ${seed})`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vimana-kill-'));
    try {
      const { acknowledged, watched, unacknowledged } = await surviveKills(folder, 150, seededRandom(seed));
      expect(acknowledged).toBeGreaterThan(20_000);
      expect(watched).toBeGreaterThanOrEqual(acknowledged);
      // Some kills must hit between the disk write and the response, otherwise all moments were harmless.
      expect(unacknowledged).toBeGreaterThan(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
