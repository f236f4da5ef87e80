import { expect, test } from 'vitest';
import { DEFINITIONS, definitionOf, startPlane } from './plane.fixture.ts';

test('definitions go although their status was written a moment before they were deleted', async () => {
  const { plane, client, define, until } = await startPlane();
  const patch = { type: 'json', body: [{ op: 'add', path: '/status/conditions', value: [] }] } as const;
  for (let round = 0; round < 20; round++) {
    const definition = definitionOf(`rushed${round}`, `Rushed${round}`);
    const { name = '' } = definition.metadata;
    await define(definition);
    // Statuses are written in turn: the deletion must be seen whichever moment it comes at.
    await client.patch(DEFINITIONS, name, patch, { subresource: 'status' });
    for (let turn = 0; turn < round; turn++) await Promise.resolve();
    await client.delete(DEFINITIONS, name);
  }
  await until(async () => (await client.list(DEFINITIONS)).items.length === 0);
  expect((await client.list(DEFINITIONS)).items).toEqual([]);
  await plane.stop();
});
