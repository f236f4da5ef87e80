import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { surviveKills } from '#control-plane/apiserver/store/crash.contract';
import { seededRandom } from '#platform/base/random';

/** Nightly tests use another seed. */
const SEEDS = (process.env['VIMANA_STORE_KILL_SEED'] ?? 'one').split(',');

for (const durability of ['sync', 'relaxed'] as const) {
  for (const seed of SEEDS) {
    it(`keeps every acknowledged write, whole, over 150 kills (${durability}, seed ${seed})`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'store-kill-'));
      try {
        const { acknowledged } = await surviveKills(folder, 150, durability, seededRandom(seed));
        expect(acknowledged).toBeGreaterThan(50_000);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
}
