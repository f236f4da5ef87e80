import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../http/api-request.ts';
import type { BytesResponse, HttpResponse } from '../http/response.ts';
import { servedDocuments } from './documents.fixture.ts';
import { documentRoute } from './route.ts';

const NOW = Date.parse('2026-11-15T12:21:00Z');
const { documents } = servedDocuments();
const route = documentRoute(documents, () => NOW);
const APPS = '/openapi/v3/apis/apps/v1';
const hash = documents.v3('apis/apps/v1')?.hash ?? '';

function request(target: string, headers: Record<string, string> = {}): ApiRequest {
  const [path = '', search = ''] = target.split('?');
  const query = new URLSearchParams(search);
  return { method: 'GET', path, query, headers, header: (name: string) => headers[name] } as unknown as ApiRequest;
}

async function ask(target: string, headers: Record<string, string> = {}): Promise<HttpResponse | undefined> {
  return await route(request(target, headers));
}

async function askBytes(target: string, headers: Record<string, string> = {}): Promise<BytesResponse> {
  return (await ask(target, headers)) as BytesResponse;
}

describe('/openapi/v3', () => {
  it('responds with the index as plain text', async () => {
    expect(await ask('/openapi/v3')).toMatchObject({
      status: 200,
      type: 'text/plain; charset=utf-8',
      body: documents.index(),
    });
  });

  it('serves a document with its ETag, and without permission to cache it', async () => {
    const response = await askBytes(APPS);
    expect(response).toMatchObject({
      status: 200,
      type: 'application/json',
      headers: { etag: `"${hash}"`, vary: 'Accept' },
    });
    expect(response.headers?.['cache-control']).toBeUndefined();
    expect(response.bytes).toBe(documents.v3('apis/apps/v1')?.json);
  });

  it('lets a document requested by its hash be cached for a year', async () => {
    expect((await askBytes(`${APPS}?hash=${hash}`)).headers).toMatchObject({
      'cache-control': 'public, immutable',
      expires: 'Mon, 15 Nov 2027 12:21:00 GMT',
    });
  });

  it('redirects from an old hash to the new one', async () => {
    expect(await askBytes(`${APPS}?hash=ABC`)).toMatchObject({
      status: 301,
      headers: { location: `${APPS}?hash=${hash}`, etag: `"${hash}"` },
    });
  });

  it.each([`"${hash}"`, `W/"${hash}"`, `"other", "${hash}"`, '*'])(
    'responds with 304 if the client has %s',
    async (known) => {
      const response = await askBytes(APPS, { 'if-none-match': known });
      expect([response.status, response.bytes.length]).toEqual([304, 0]);
    },
  );

  it('sends the media type with a 304', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
    const response = await askBytes(APPS, { accept, 'if-none-match': '*' });
    expect([response.status, response.type]).toEqual([
      304,
      'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
    ]);
  });

  it('sends the document if the client has another one', async () => {
    expect((await askBytes(APPS, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it.each([
    ['/openapi/v3/apis/nothing/v1', 404],
    ['/openapi/v3/', 404],
    ['/openapi/v3/apis/apps', 200],
  ])('responds to %s with %i', async (path, status) => {
    expect((await askBytes(path)).status).toBe(status);
  });

  it('does not handle other paths', async () => {
    expect(await ask('/openapi')).toBeUndefined();
    expect(await ask('/openapi/v2/')).toBeUndefined();
    expect(await ask('/openapi/v3x')).toBeUndefined();
  });
});

describe('the media type of a document', () => {
  const pb = (version: string, separator: string) =>
    `application/com.github.proto-openapi.spec.${version}${separator}v1.0+protobuf`;
  it.each([
    [APPS, '', 'application/json'],
    [APPS, 'application/json, */*', 'application/json'],
    [APPS, 'application/*', 'application/json'],
    [APPS, 'text/html, */*;q=0.1', 'application/json'],
    [APPS, pb('v3', '@'), pb('v3', '.')],
    [APPS, pb('v3', '.'), pb('v3', '.')],
    [APPS, `application/json;q=0.5, ${pb('v3', '@')}`, pb('v3', '.')],
    ['/openapi/v2', '*/*', 'application/json'],
    ['/openapi/v2', pb('v2', '@'), pb('v2', '.')],
  ])('for %s and "%s" is %s', async (path, accept, type) => {
    const response = await askBytes(path, accept === '' ? {} : { accept });
    expect([response.status, response.type]).toEqual([200, type]);
    expect(response.bytes.length).toBeGreaterThan(1000);
  });

  it.each([
    [APPS, 'text/html'],
    [APPS, 'application/yaml'],
    [APPS, pb('v2', '@')],
    [`${APPS}?hash=ABC`, 'text/html'],
    ['/openapi/v2', pb('v3', '@')],
  ])('for %s and "%s" is not acceptable', async (path, accept) => {
    expect((await askBytes(path, { accept })).status).toBe(406);
  });
});
