import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ResourceType } from '#platform/kube/client';
import { DEFINITIONS, definitionOf, startPlane } from './plane.fixture.ts';

const CONFIG_MAPS: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

test('a CRD is deleted even if its status was written just before', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'definition-race-'));
  const plane = await startPlane({ dataDir, store: 'lmdb', durability: 'sync' });
  const { client } = plane;
  const patch = { type: 'json', body: [{ op: 'add', path: '/status/conditions', value: [] }] } as const;
  const state = { over: false };
  // Writes that are synced together become visible together: other writes keep the disk busy so that ours are.
  const traffic = async (): Promise<void> => {
    while (!state.over)
      await client.create(CONFIG_MAPS, { metadata: { generateName: 'c-' } }, { namespace: 'default' });
  };
  const others = Promise.all([traffic(), traffic(), traffic()]);
  for (let round = 0; round < 15; round++) {
    const definition = definitionOf(`rushed${round}`, `Rushed${round}`);
    const { name = '' } = definition.metadata;
    await plane.define(definition);
    await client.patch(DEFINITIONS, name, patch, { subresource: 'status' });
    await client.delete(DEFINITIONS, name);
  }
  state.over = true;
  await others;
  await plane.until(async () => (await client.list(DEFINITIONS)).items.length === 0);
  expect((await client.list(DEFINITIONS)).items).toEqual([]);
  await plane.plane.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
