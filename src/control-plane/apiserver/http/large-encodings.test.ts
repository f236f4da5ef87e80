import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';
import { decodeProtobuf, encodeProtobuf, PROTOBUF } from '../protobuf/protobuf.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const data = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`key-${at}`, 'välue'.repeat(40)]));
const large = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
  for (const name of ['a', 'b', 'c']) await plane.ask('POST', PATH, large(name));
});
afterAll(async () => {
  await plane.plane.stop();
});

const request = async (path: string, accept: string, encoding = 'identity', init: RequestInit = {}) =>
  await fetch(`${plane.plane.url}${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${plane.plane.adminToken}`,
      accept,
      'accept-encoding': encoding,
      'content-type': PROTOBUF,
    },
  });

const READERS = {
  'application/yaml': async (response: Response) => parse(await response.text()) as unknown,
  [PROTOBUF]: async (response: Response) =>
    decodeProtobuf(new Uint8Array(await response.arrayBuffer()), undefined, Number.POSITIVE_INFINITY) as unknown,
};

it.each(
  Object.entries(READERS).flatMap(([type, read]) => ['identity', 'gzip'].map((encoding) => ({ type, encoding, read }))),
)('serves large objects and lists as $type with the encoding $encoding', async ({ type, encoding, read }) => {
  const object = await request(`${PATH}/a`, type, encoding);
  expect([object.status, object.headers.get('content-type')]).toEqual([200, type]);
  expect(await read(object)).toMatchObject(large('a'));
  const list = await request(PATH, type, encoding);
  expect([list.status, list.headers.get('content-type')]).toEqual([200, type]);
  const { items } = (await read(list)) as {
    readonly items: readonly { readonly metadata: { readonly name: string } }[];
  };
  const named = items.filter(({ metadata }) => ['a', 'b', 'c'].includes(metadata.name));
  expect(named).toMatchObject(['a', 'b', 'c'].map((name) => ({ metadata: { name }, data })));
});

it('stores a large protobuf body', async () => {
  const changed = { ...large('b'), data: { ...data, more: 'text' } };
  const body = Buffer.from(encodeProtobuf(changed) ?? []);
  const response = await request(`${PATH}/b`, 'application/yaml', 'identity', { method: 'PUT', body });
  expect([response.status, parse(await response.text())]).toMatchObject([200, changed]);
});

it('rejects a large body that is not protobuf, without revealing where that was found', async () => {
  const body = 'x'.repeat(200_000);
  const response = await request(`${PATH}/c`, 'application/json', 'identity', { method: 'PUT', body });
  const status = (await response.json()) as { readonly message: string };
  expect([response.status, status]).toMatchObject([400, { kind: 'Status', reason: 'BadRequest' }]);
  expect(status.message).toMatch(/must be of type ConfigMap\): provided data does not appear to be a protobuf message/);
  expect(JSON.stringify(status)).not.toContain('.ts:');
});
