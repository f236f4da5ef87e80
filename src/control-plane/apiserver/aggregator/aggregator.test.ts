import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { openPki, type Pki } from '../access/pki.ts';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';

const GROUP = 'custom.metrics.k8s.io';
const VERSION = `/apis/${GROUP}/v1beta1`;
const SERVICE = '/apis/apiregistration.k8s.io/v1/apiservices';
const directory = mkdtempSync(join(tmpdir(), 'aggregator-'));
const seen: { request: IncomingMessage; client: string | undefined; body: string }[] = [];
let pki: Pki;
let plane: Plane;
let adapter: Server;

/** Serves like a metrics adapter: discovery, and anything below it. */
const startAdapter = async (port = 0): Promise<Server> => {
  const tls = { cert: pki.server.certPem, key: pki.server.keyPem, ca: plane.plane.pki.caPem, requestCert: true };
  const server = createServer(tls, (request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      seen.push({ request, client: String(subject?.CN), body });
      response.writeHead(request.url?.includes('teapot') === true ? 418 : 200, { 'content-type': 'application/json' });
      const resources = [
        { name: 'pods/requests', singularName: '', namespaced: true, kind: 'MetricValueList', verbs: ['get'] },
      ];
      const answer = request.url === VERSION ? { kind: 'APIResourceList', resources } : { items: [{ value: '1é' }] };
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve));
  return server;
};
const stopAdapter = () => {
  adapter.closeAllConnections();
  adapter.close();
};
const condition = async () => {
  const { body } = await plane.ask('GET', `${SERVICE}/v1beta1.${GROUP}`);
  const { conditions = [] } = (body['status'] ?? {}) as { conditions?: { status: string; reason: string }[] };
  return `${conditions[0]?.status} ${conditions[0]?.reason}`;
};

beforeAll(async () => {
  plane = await startPlane();
  pki = openPki({ directory, clock: realClock, serverNames: ['adapter.default.svc'] });
  adapter = await startAdapter();
  const { port } = adapter.address() as AddressInfo;
  const service = { namespace: 'default', name: 'adapter', port };
  const caBundle = Buffer.from(pki.caPem).toString('base64');
  await plane.ask('POST', SERVICE, {
    metadata: { name: `v1beta1.${GROUP}` },
    spec: { group: GROUP, version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100, service, caBundle },
  });
});
afterAll(async () => {
  stopAdapter();
  await plane.plane.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('an APIService of another server', () => {
  it('is unavailable without its service, and available with it', async () => {
    await plane.until(async () => (await condition()) === 'False ServiceNotFound');
    const response = await fetch(`${plane.plane.url}${VERSION}/namespaces/default/pods/*/requests`, {
      headers: { authorization: `Bearer ${plane.plane.adminToken}` },
    });
    expect([response.status, await response.text()]).toEqual([503, 'service unavailable\n']);
    const spec = { type: 'ExternalName', externalName: 'localhost', ports: [{ port: 443 }] };
    await plane.ask('POST', '/api/v1/namespaces/default/services', { metadata: { name: 'adapter' }, spec });
    await plane.until(async () => (await condition()) === 'True Passed');
    const { body } = await plane.ask('GET', VERSION);
    expect(body).toMatchObject({ kind: 'APIResourceList', resources: [{ name: 'pods/requests' }] });
    expect((await plane.ask('GET', `/apis/${GROUP}`)).body).toMatchObject({ name: GROUP });
  });

  it('receives requests in the name of the authorized user, authenticated by a front-proxy certificate', async () => {
    const path = `${VERSION}/namespaces/default/pods/*/requests?labelSelector=app%3Dweb`;
    expect((await plane.ask('GET', path)).body).toEqual({ items: [{ value: '1é' }] });
    const { request, client } = seen.at(-1) ?? {};
    expect([request?.url, client]).toEqual([path, 'front-proxy-client']);
    expect(request?.headers).toMatchObject({
      'x-remote-user': 'kubernetes-admin',
      host: expect.stringMatching(/^adapter\.default\.svc/) as string,
    });
    expect(String(request?.headers['x-remote-group'])).toContain('system:masters');
    expect(request?.headers.authorization).toBeUndefined();
    await plane.ask('POST', `${VERSION}/namespaces/default/anything/x/teapot`, { a: 1 });
    expect(seen.at(-1)?.body).toBe('{"a":1}');
    expect((await plane.ask('GET', `${VERSION}/teapot`)).code).toBe(418);
    expect(JSON.parse(await plane.client.raw(path))).toEqual({ items: [{ value: '1é' }] });
  });

  it('publishes the front-proxy certificate authority', async () => {
    const { body } = await plane.ask(
      'GET',
      '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
    );
    expect(body['data']).toMatchObject({
      'requestheader-client-ca-file': plane.plane.pki.caPem,
      'requestheader-allowed-names': '["front-proxy-client"]',
    });
  });

  it('fails while its server is down, and disappears with its object', async () => {
    stopAdapter();
    const { code, body } = await plane.ask('GET', `${VERSION}/namespaces/default/pods/*/requests`);
    expect([code, body['reason']]).toEqual([503, 'ServiceUnavailable']);
    const metadata = { labels: { changed: 'yes' } };
    await plane.ask(
      'PATCH',
      '/api/v1/namespaces/default/services/adapter',
      { metadata },
      'application/merge-patch+json',
    );
    await plane.until(async () => (await condition()) === 'False FailedDiscoveryCheck');
    await plane.ask('DELETE', `${SERVICE}/v1beta1.${GROUP}`);
    await plane.until(async () => (await plane.ask('GET', `/apis/${GROUP}`)).code === 404);
    expect((await plane.ask('GET', `${SERVICE}/v1beta1.${GROUP}`)).code).toBe(404);
  });
});
