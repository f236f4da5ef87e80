import { describe, expect, it } from 'vitest';
import { soak } from './soak/soak.ts';

/**
 * Runs a few seeds. test/nightly/soak.test.ts runs many. A single seed: VIMANA_SOAK_SEED=7 npx vitest run
 * test/soak.test.ts
 */
const SEEDS = process.env['VIMANA_SOAK_SEED']?.split(',') ?? Array.from({ length: 2 }, (_, at) => String(at));

describe('VMs under faults', () => {
  it.each(SEEDS)('all run exactly once after the faults with seed %s', async (seed) => {
    expect(await soak(seed)).toEqual([]);
  });
});
