import { describe, expect, it } from 'vitest';
import { soak } from '../soak/soak.ts';

/** The same as test/soak.test.ts, in numbers. VIMANA_SOAK_SEED=17,18 runs these alone. */
const SEEDS = process.env['VIMANA_SOAK_SEED']?.split(',') ?? Array.from({ length: 200 }, (_, at) => String(at));

describe('machines in a world of faults, at length', () => {
  it.each(SEEDS)(
    'none runs twice, none is lost, and all comes to rest with seed %s',
    async (seed) => {
      expect(await soak(seed)).toEqual([]);
    },
    120_000,
  );
});
