import { describe, expect, it } from 'vitest';
import { soak } from './soak/soak.ts';

/** A few here; many in test/long/soak.test.ts. One seed alone: VIMANA_SOAK_SEED=7 npx vitest run test/soak.test.ts */
const SEEDS = process.env['VIMANA_SOAK_SEED']?.split(',') ?? Array.from({ length: 2 }, (_, at) => String(at));

describe('machines in a world of faults', () => {
  it.each(SEEDS)('none runs twice, none is lost, and all comes to rest with seed %s', async (seed) => {
    expect(await soak(seed)).toEqual([]);
  });
});
