import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clock, realClock } from '#platform/base/clock';
import { FakeClock } from '#platform/base/fake-clock';
import type { ResourceType } from '#platform/kube/client';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';

const OBJECTS = 2_000;
const CONFIG_MAPS: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
const PATH = '/api/v1/configmaps';

async function filled(clock: Clock): Promise<Plane> {
  const plane = await startPlane({ clock });
  for (let i = 0; i < OBJECTS; i++) {
    const metadata = { name: `c-${i}`, namespace: 'default', labels: { even: String(i % 2 === 0) } };
    await plane.client.create(CONFIG_MAPS, { metadata, data: { padding: 'x'.repeat(2_000) } });
  }
  return plane;
}

describe('a list of many objects', () => {
  let plane: Plane;
  beforeAll(async () => {
    plane = await filled(realClock);
  });
  afterAll(async () => {
    await plane.plane.stop();
  });

  /** Counts how often others run during some work. */
  async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
    const stop = new AbortController();
    const counting = (async () => {
      let turns = 0;
      for (; !stop.signal.aborted; turns++) await realClock.turn?.();
      return turns;
    })();
    await work();
    stop.abort();
    return await counting;
  }

  test.each([
    ['all objects of a namespace', { namespace: 'default' }, OBJECTS],
    ['objects with a label', { labelSelector: 'even=true' }, OBJECTS / 2],
    ['one page', { limit: 1_500 }, 1_500],
  ])('yields to other requests: %s', async (_name, options, count) => {
    let found = 0;
    const turns = await turnsDuring(async () => {
      found = (await plane.client.list(CONFIG_MAPS, options)).items.length;
    });
    expect(found).toBe(count);
    expect(turns).toBeGreaterThan(5);
  });

  test('by name reads only that object', async () => {
    for (const namespace of ['', '/namespaces/default']) {
      const path = `/api/v1${namespace}/configmaps?fieldSelector=metadata.name%3Dc-77`;
      const { body } = await plane.ask('GET', path);
      expect(body['items']).toMatchObject([{ metadata: { name: 'c-77' } }]);
      expect(
        await turnsDuring(() => plane.client.list(CONFIG_MAPS, { fieldSelector: 'metadata.name=c-77' })),
      ).toBeLessThan(5);
    }
    const two = await plane.ask('GET', `${PATH}?fieldSelector=metadata.name%3Dc-77,metadata.name%3Dc-78`);
    expect(two.body['items']).toEqual([]);
    const other = await plane.ask('GET', `${PATH}?fieldSelector=metadata.name%3Dc-77&labelSelector=even%3Dtrue`);
    expect(other.body['items']).toEqual([]);
    const suffix = await plane.ask('GET', `${PATH}?fieldSelector=metadata.name%3D77`);
    expect(suffix.body['items']).toEqual([]);
  });
});

test('a list does not need time to pass', async () => {
  const plane = await filled(new FakeClock({ start: Date.UTC(2026, 0, 1) }));
  expect((await plane.client.list(CONFIG_MAPS, { labelSelector: 'even=true' })).items).toHaveLength(OBJECTS / 2);
  await plane.plane.stop();
});
