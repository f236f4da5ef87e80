import { expect, it } from 'vitest';
import { operationSoak } from './soak/operations.ts';

/** Runs a few operations. test/nightly/operations-soak.test.ts runs a thousand. */
it('operations on many VMs all finish and leave nothing behind, however often the operator is killed', async () => {
  const { wrong, ends, kills } = await operationSoak({ machines: 40, operations: 120, kills: 6, seed: 'few' });
  expect(wrong).toEqual([]);
  expect(kills).toBe(6);
  expect(Object.keys(ends).length).toBeGreaterThan(8);
});
