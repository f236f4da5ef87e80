import { afterAll, beforeAll, expect, test } from 'vitest';
import { lines } from '#platform/kube/http/lines';
import { definitionOf, GROUP, type Plane, startPlane } from '../apiextensions/plane.fixture.ts';

const IN = '/api/v1/namespaces/default';
let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
  await plane.define(definitionOf('probes', 'Probe'));
  for (let i = 0; i < 3; i++) await plane.ask('POST', `${IN}/configmaps`, { metadata: { name: `c-${i}` } });
  await plane.ask('POST', `/apis/${GROUP}/v1/namespaces/default/probes`, {
    apiVersion: `${GROUP}/v1`,
    kind: 'Probe',
    metadata: { name: 'p' },
  });
});
afterAll(async () => {
  await plane.plane.stop();
});

interface Shown {
  readonly kind: string;
  readonly apiVersion: string;
  readonly message?: string;
  readonly items?: readonly Shown[];
  readonly rows?: readonly { readonly object: Shown }[];
}

function ask(path: string, shape: string, group: string): Promise<Response> {
  const [g, v] = group.split('/');
  const accept = `application/json;as=${shape};g=${g};v=${v}`;
  const headers = { authorization: `Bearer ${plane.plane.adminToken}`, accept };
  return fetch(`${plane.plane.url}${path}`, { headers });
}

async function read(path: string, shape: string, group = 'meta.k8s.io/v1') {
  const response = await ask(path, shape, group);
  return { code: response.status, body: JSON.parse(await response.text()) as Shown };
}

/** Returns the first event of a watch. */
async function firstOf(path: string, shape: string, group: string): Promise<Shown> {
  const response = await ask(path, shape, group);
  for await (const line of lines(response.body as unknown as AsyncIterable<Buffer>)) return JSON.parse(line) as Shown;
  throw new Error('the watch ended');
}

test.each(['v1', 'v1beta1'])(
  'objects, lists and events are available as tables and metadata of %s',
  async (version) => {
    const apiVersion = `meta.k8s.io/${version}`;
    const metadata = { kind: 'PartialObjectMetadata', apiVersion };
    const one = await read(`${IN}/configmaps/c-0`, 'Table', apiVersion);
    expect(one.body).toMatchObject({ kind: 'Table', apiVersion, rows: [{ object: metadata }] });
    const table = await read(`${IN}/configmaps`, 'Table', apiVersion);
    expect(table.body.rows).toHaveLength(3);
    expect(table.body).toMatchObject({ kind: 'Table', apiVersion });
    expect(table.body.rows?.[2]).toMatchObject({ object: metadata });
    expect((await read(`${IN}/configmaps/c-0`, 'PartialObjectMetadata', apiVersion)).body).toMatchObject(metadata);
    const list = await read(`${IN}/configmaps`, 'PartialObjectMetadataList', apiVersion);
    expect(list.body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion });
    expect(list.body.items).toHaveLength(3);
    const watch = `${IN}/configmaps?watch=1&resourceVersion=0`;
    expect(await firstOf(watch, 'Table', apiVersion)).toMatchObject({ object: { kind: 'Table', apiVersion } });
  },
);

test.each([
  [`${IN}/configmaps/c-0`, 'PartialObjectMetadataList', 'is not a list (*core.ConfigMap)'],
  [`${IN}/configmaps`, 'PartialObjectMetadata', 'is a list (*core.ConfigMapList)'],
  ['/apis/networking.k8s.io/v1/ingresses', 'PartialObjectMetadata', 'is a list (*networking.IngressList)'],
  ['/apis/events.k8s.io/v1/events', 'PartialObjectMetadata', 'is a list (*core.EventList)'],
  [`/apis/${GROUP}/v1/probes`, 'PartialObjectMetadata', 'is a list (*unstructured.UnstructuredList)'],
])('%s is not available as %s', async (path, shape, why) => {
  const { code, body } = await read(path, shape);
  expect([code, body.message]).toEqual([406, `you requested ${shape}, but the requested object ${why}`]);
});

test.each([
  ['Table', 'meta.k8s.io/v2'],
  ['Table', 'other/v1'],
  ['Nothing', 'meta.k8s.io/v1'],
  ['APIGroupDiscoveryList', 'apidiscovery.k8s.io/v2'],
])('nothing is available as %s of %s', async (shape, group) => {
  expect((await read(`${IN}/configmaps`, shape, group)).code).toBe(406);
});

test('a table of many objects has a row for each, in the order of its kind', async () => {
  const many = `/api/v1/namespaces/many`;
  await plane.ask('POST', '/api/v1/namespaces', { metadata: { name: 'many' } });
  const size = 400;
  for (let i = 0; i < size; i++) {
    const metadata = { name: `c-${String(i).padStart(4, '0')}`, annotations: { a: 'x'.repeat(300) } };
    await plane.client.create(
      { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true },
      { metadata: { ...metadata, namespace: 'many' } },
    );
  }
  const { body } = await read(`${many}/configmaps`, 'Table');
  const names = body.rows?.map(({ object }) => (object as unknown as { metadata: { name: string } }).metadata.name);
  expect(names).toEqual(Array.from({ length: size }, (_, i) => `c-${String(i).padStart(4, '0')}`));
  const whole = (await plane.ask('GET', `${many}/configmaps`)).body['items'] as object[];
  expect(whole).toHaveLength(size);
});
