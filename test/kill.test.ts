import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { surviveKills } from './kill/kill-campaign.ts';

// test/long runs hundreds of these.
it('keeps every acknowledged write over HTTPS, whole, when the server is killed under load', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-kill-'));
  try {
    const { acknowledged, watched } = await surviveKills(folder, 5, seededRandom('kill'));
    expect(acknowledged).toBeGreaterThan(500);
    expect(watched).toBeGreaterThan(500);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
