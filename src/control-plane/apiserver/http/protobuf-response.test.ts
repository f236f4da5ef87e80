import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definitionOf, GROUP, type Plane, startPlane, version } from '../apiextensions/plane.fixture.ts';
import { decodeProtobuf, PROTOBUF, WATCH_PROTOBUF } from '../protobuf/protobuf.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const META = ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
  await plane.ask('POST', PATH, { metadata: { name: 'a' }, data: { key: 'value' } });
});
afterAll(async () => {
  await plane.plane.stop();
});

const request = async (path: string, accept = PROTOBUF, init: RequestInit = {}) =>
  await fetch(`${plane.plane.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${plane.plane.adminToken}`, accept, 'content-type': 'application/json' },
  });
const decoded = async (response: Response) => decodeProtobuf(new Uint8Array(await response.arrayBuffer()));

describe('a client that accepts only protobuf', () => {
  it('receives objects, lists, errors and discovery in protobuf', async () => {
    const object = await request(`${PATH}/a`);
    expect([object.status, object.headers.get('content-type')]).toEqual([200, PROTOBUF]);
    expect(await decoded(object)).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { key: 'value' },
    });
    const list = await decoded(await request(PATH));
    expect(list).toMatchObject({ kind: 'ConfigMapList', metadata: { resourceVersion: expect.any(String) as string } });
    expect((list['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)).toContain('a');
    const missing = await request(`${PATH}/none`);
    expect(missing.status).toBe(404);
    expect(await decoded(missing)).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
    expect(await decoded(await request('/apis'))).toMatchObject({ kind: 'APIGroupList' });
    expect(await decoded(await request('/api/v1'))).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
  });

  it('receives what it writes, and metadata only', async () => {
    const body = JSON.stringify({ metadata: { name: 'b' } });
    const created = await request(PATH, PROTOBUF, { method: 'POST', body });
    expect(created.status).toBe(201);
    expect(await decoded(created)).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'b' } });
    const metadata = await decoded(await request(`${PATH}/b`, PROTOBUF + META));
    expect(metadata).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'b' } });
  });

  it('watches in protobuf frames', async () => {
    const stop = new AbortController();
    const query = `${PATH}?watch=1&fieldSelector=metadata.name%3Da&resourceVersion=0`;
    const response = await request(query, WATCH_PROTOBUF, { signal: stop.signal });
    expect(response.headers.get('content-type')).toBe(WATCH_PROTOBUF);
    const reader = response.body?.getReader();
    let received = Buffer.alloc(0);
    while (received.length < 4 || received.length < 4 + received.readUInt32BE(0)) {
      const { value = new Uint8Array(), done = true } = (await reader?.read()) ?? {};
      if (done) break;
      received = Buffer.concat([received, value]);
    }
    stop.abort();
    const event = received.subarray(4, 4 + received.readUInt32BE(0));
    const type = event.subarray(2, 2 + (event[1] ?? 0)).toString();
    const object = decodeProtobuf(event.subarray(event.indexOf('k8s\0')));
    expect([type, object]).toMatchObject(['ADDED', { kind: 'ConfigMap', metadata: { name: 'a' } }]);
  });

  it('receives neither tables nor custom objects, which are not created either', async () => {
    const table = await request(PATH, `${PROTOBUF};as=Table;g=meta.k8s.io;v=v1`);
    expect(table.status).toBe(406);
    await plane.define(definitionOf('probes', 'Probe', [version('v1')]));
    const path = `/apis/${GROUP}/v1/namespaces/default/probes`;
    const custom = await request(path, PROTOBUF, { method: 'POST', body: '{}' });
    const status = await decoded(custom);
    expect([custom.status, status['message']]).toEqual([
      406,
      'object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message',
    ]);
  });
});
