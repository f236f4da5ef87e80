import { afterAll, beforeAll, expect, test } from 'vitest';
import { lines } from '#platform/kube/http/lines';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const OBJECTS = 1_234;
let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
  for (let i = 0; i < OBJECTS; i++) {
    const labels = { third: String(i % 3 === 0) };
    await plane.client.create(CONFIG_MAPS, { metadata: { name: `c-${i}`, namespace: 'default', labels } });
  }
});
afterAll(async () => {
  await plane.plane.stop();
});

interface Line {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name?: string; readonly annotations?: object } };
}

let changes = 0;

/** Returns the initial events of a watch: all that arrive before that of a change made since. */
async function read(parameters: string, changed = 'c-0'): Promise<Line[]> {
  const { url, adminToken } = plane.plane;
  const headers = { authorization: `Bearer ${adminToken}` };
  const response = await fetch(`${url}${PATH}?watch=1&${parameters}`, { headers });
  const reported: Line[] = [];
  for await (const text of lines(response.body as unknown as AsyncIterable<Buffer>)) {
    const line = JSON.parse(text) as Line;
    if (line.type === 'MODIFIED') break;
    if (reported.push(line) > 1) continue;
    const body = { data: { change: String(++changes) } };
    await plane.client.patch(CONFIG_MAPS, changed, { type: 'merge', body }, { namespace: 'default' });
  }
  return reported;
}

const INITIAL = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

test('a watch starts with every object exactly once, however many there are', async () => {
  const lines = await read('resourceVersion=0');
  expect(new Set(lines.map(({ object }) => object.metadata.name)).size).toBe(OBJECTS);
  expect(lines.map(({ type }) => type)).toEqual(Array.from({ length: OBJECTS }, () => 'ADDED'));
  expect(await read('resourceVersion=0&labelSelector=third%3Dtrue')).toHaveLength(Math.ceil(OBJECTS / 3));
  expect(await read('resourceVersion=0&fieldSelector=metadata.name%3Dc-7', 'c-7')).toHaveLength(1);
});

test('the end of the initial events is sent to clients that allow bookmarks', async () => {
  const all = await read(`${INITIAL}&allowWatchBookmarks=true`);
  expect(all).toHaveLength(OBJECTS + 1);
  expect(all.at(-1)).toMatchObject({
    type: 'BOOKMARK',
    object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
  });
  expect((await read(INITIAL)).filter(({ type }) => type === 'BOOKMARK')).toEqual([]);
});
