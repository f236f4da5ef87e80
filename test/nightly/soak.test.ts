import { describe, expect, it } from 'vitest';
import { soak } from '../soak/soak.ts';

/** The same as test/soak.test.ts with more seeds. VIMANA_SOAK_SEED=17,18 runs only these. */
const SEEDS = process.env['VIMANA_SOAK_SEED']?.split(',') ?? Array.from({ length: 200 }, (_, at) => String(at));

describe('VMs under many faults', () => {
  it.each(SEEDS)(
    'all run exactly once after the faults with seed %s',
    async (seed) => {
      expect(await soak(seed)).toEqual([]);
    },
    120_000,
  );
});
