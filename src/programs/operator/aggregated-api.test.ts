import { request } from 'node:https';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import type { ApiExtension, ExtensionRequest } from '#platform/kube/api-extension';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import { type HttpServer, startHttpServer } from '#platform/runtime/http/http-server';
import { aggregatedApi } from './aggregated-api.ts';
import { type ClientCertificate, clientAuthority } from './client-certificate.fixture.ts';
import type { FrontProxy } from './front-proxy.ts';
import { fitCertificate } from './serving-certificate.ts';

const authority = clientAuthority();
const PROXY: FrontProxy = {
  ca: authority.ca,
  allowedNames: ['front-proxy-client'],
  usernameHeaders: ['X-Remote-User'],
  groupHeaders: ['X-Remote-Group'],
  extraPrefixes: ['X-Remote-Extra-'],
};
const GOOD = authority.client('front-proxy-client');
const STOP = '/apis/sub.example.com/v1/namespaces/shop/machines/web/stop';
const JANE = { 'x-remote-user': 'jane', 'x-remote-group': ['staff', 'all'], 'x-remote-extra-from%2Fwhere': 'home' };

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
}

interface Told {
  readonly status: number;
  readonly body: { readonly reason?: string; readonly message?: string; readonly [field: string]: unknown };
}

describe('an API group behind an APIService', () => {
  let server: HttpServer;
  let proxy: FrontProxy | undefined;
  let requested: ExtensionRequest[];
  let reviews: unknown[];
  let allowed: boolean;
  let failure: Error | undefined;

  beforeEach(async () => {
    [proxy, requested, reviews, allowed, failure] = [PROXY, [], [], true, undefined];
    const extension: ApiExtension = {
      group: 'sub.example.com',
      version: 'v1',
      resources: [{ name: 'machines/stop', namespaced: true, kind: 'Machine', verbs: ['update'] }],
      handle(each) {
        if (failure !== undefined) throw failure;
        requested.push(each);
        return { status: 202, body: { done: true } };
      },
    };
    const client = {
      request: ({ body }: { body: { spec: unknown } }) => {
        reviews.push(body.spec);
        return Promise.resolve({ status: 201, body: { status: { allowed } } });
      },
    } as unknown as Client;
    const routes = aggregatedApi([extension], { client, proxy: () => proxy });
    server = await startHttpServer({ port: 0, https: true, routes, clock: realClock, log: noopLogger });
    const { cert, key } = fitCertificate({}, ['localhost'], realClock.now());
    server.secure({ cert, key, ca: authority.ca });
  });
  afterEach(() => server.close());

  const ask = (
    certificate: ClientCertificate | undefined,
    { method = 'PUT', path = STOP, headers = JANE }: Asked = {},
  ): Promise<Told> =>
    new Promise((resolve, reject) => {
      const { port } = server;
      const to = { host: '127.0.0.1', port, path, method, headers, rejectUnauthorized: false, agent: false };
      request({ ...to, ...certificate })
        .on('response', (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Told['body'] });
          });
        })
        .on('error', reject)
        .end();
    });

  it('authorizes the user that the API server names', async () => {
    expect(await ask(GOOD)).toEqual({ status: 202, body: { done: true } });
    expect(requested).toMatchObject([
      { resource: 'machines', subresource: 'stop', namespace: 'shop', name: 'web', verb: 'update' },
    ]);
    expect(requested[0]?.user).toMatchObject({ name: 'jane', groups: ['staff', 'all'] });
    expect(reviews).toMatchObject([
      {
        user: 'jane',
        groups: ['staff', 'all'],
        extra: { 'from/where': ['home'] },
        resourceAttributes: { group: 'sub.example.com', resource: 'machines', subresource: 'stop', verb: 'update' },
      },
    ]);
  });

  it.each<[string, () => ClientCertificate | undefined]>([
    ['nobody', () => undefined],
    ['a client of another CA', () => clientAuthority('another').client('front-proxy-client')],
    ['a client of a CA with the same name', () => clientAuthority().client('front-proxy-client')],
    ['a client with another name', () => authority.client('somebody')],
    ['the API server with an expired certificate', () => authority.client('front-proxy-client', 60_000)],
  ])('trusts no user header from %s', async (_who, certificate) => {
    expect(await ask(certificate())).toMatchObject({ status: 401, body: { reason: 'Unauthorized' } });
    expect([requested, reviews]).toEqual([[], []]);
  });

  it('trusts nobody before the front proxy is known, and any name if no names are configured', async () => {
    proxy = undefined;
    expect((await ask(GOOD)).status).toBe(401);
    proxy = { ...PROXY, allowedNames: [] };
    expect((await ask(authority.client('somebody'))).status).toBe(202);
  });

  it('treats a request without a user as unauthenticated', async () => {
    expect((await ask(GOOD, { headers: {} })).status).toBe(401);
  });

  it('denies what the user is not allowed to do', async () => {
    allowed = false;
    const message =
      'machines.sub.example.com "web" is forbidden: User "jane" cannot update resource "machines/stop" in API group "sub.example.com" in the namespace "shop"';
    expect(await ask(GOOD)).toMatchObject({ status: 403, body: { reason: 'Forbidden', message } });
    expect(requested).toEqual([]);
  });

  it.each([
    ['an unknown verb', { method: 'GET' }, 405],
    ['an unknown resource', { path: STOP.replace('stop', 'start') }, 404],
    ['no namespace', { path: '/apis/sub.example.com/v1/machines/web/stop' }, 404],
    ['an invalid path', { path: '/apis/sub.example.com/v1/namespaces/%/machines/web/stop' }, 400],
  ])('rejects %s', async (_what, changed, status) => {
    expect((await ask(GOOD, changed)).status).toBe(status);
    expect(requested).toEqual([]);
  });

  it('passes on the error of the handler', async () => {
    failure = new KubeError(409, 'Conflict', 'it is stopped already', {});
    expect(await ask(GOOD)).toMatchObject({
      status: 409,
      body: { reason: 'Conflict', message: 'it is stopped already' },
    });
  });

  it('serves discovery to everybody', async () => {
    const path = '/apis/sub.example.com/v1';
    const list = await ask(undefined, { method: 'GET', path });
    expect(list).toMatchObject({
      status: 200,
      body: { kind: 'APIResourceList', resources: [{ name: 'machines/stop' }] },
    });
    const group = await ask(undefined, { method: 'GET', path: '/apis/sub.example.com' });
    expect(group).toMatchObject({ status: 200, body: { kind: 'APIGroup', preferredVersion: { version: 'v1' } } });
  });
});
