import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { surviveKills } from './crash.contract.ts';

// test/long runs the same hundreds of times.
for (const durability of ['sync', 'relaxed'] as const) {
  it(`keeps every acknowledged write, whole, over kills at any moment (${durability})`, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'crash-'));
    try {
      const { acknowledged } = await surviveKills(directory, 6, durability, seededRandom(durability));
      expect(acknowledged).toBeGreaterThan(1_000);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
}
