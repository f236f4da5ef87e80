import { expect, it } from 'vitest';
import { operationSoak } from './soak/operations.ts';

/** A few here; a thousand in test/long/operations-soak.test.ts. */
it('operations on many machines all end and leave nothing over, however often the operator is killed', async () => {
  const { wrong, ends, kills } = await operationSoak({ machines: 40, operations: 120, kills: 6, seed: 'few' });
  expect(wrong).toEqual([]);
  expect(kills).toBe(6);
  expect(Object.keys(ends).length).toBeGreaterThan(8);
});
