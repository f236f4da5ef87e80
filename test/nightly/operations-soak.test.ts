import { describe, expect, it } from 'vitest';
import { operationSoak } from '../soak/operations.ts';

const SEEDS = process.env['VIMANA_SOAK_SEED']?.split(',') ?? ['a', 'b'];

describe('a thousand operations on five hundred VMs', () => {
  it.each(SEEDS)(
    'all finish and leave nothing behind, with the operator killed twenty times and seed %s',
    async (seed) => {
      const { wrong, ends, kills } = await operationSoak({ machines: 500, operations: 1000, kills: 20, seed });
      expect(wrong).toEqual([]);
      expect(kills).toBe(20);
      // Some operations of every kind must succeed.
      const succeeded = Object.keys(ends).filter((word) => word.endsWith(' Succeeded'));
      expect(succeeded).toHaveLength(9);
    },
    600_000,
  );
});
