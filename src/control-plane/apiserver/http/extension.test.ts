import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiExtension, type ExtensionRequest, UPGRADED } from '#platform/kube/api-extension';
import type { ResourceType } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import { hasKubectl } from '#testing/programs';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';
import { type Kubectl, kubectlFor } from './kubectl.fixture.ts';

const GROUP = 'subresources.example.com';
const seen: ExtensionRequest[] = [];
const bodies: string[] = [];

const machines: ApiExtension = {
  group: GROUP,
  version: 'v1',
  resources: [
    { name: 'machines/start', namespaced: true, kind: 'Machine', verbs: ['update'] },
    { name: 'machines/console', namespaced: true, kind: 'Machine', verbs: ['get'] },
    { name: 'machines/log', namespaced: true, kind: 'Machine', verbs: ['get'] },
    { name: 'machines/fault', namespaced: true, kind: 'Machine', verbs: ['get'] },
  ],
  async handle(request) {
    seen.push(request);
    if (request.method === 'PUT') bodies.push(Buffer.from(await request.body()).toString());
    if (request.subresource === 'fault') throw new TypeError('out of order');
    if (request.subresource === 'log') return { status: 200, type: 'text/plain', pieces: counted() };
    if (request.subresource === 'console') return echo(request);
    if (request.name === 'busy') throw new KubeError(409, 'Conflict', 'it is busy', { name: 'busy', kind: 'machine' });
    return { status: 202 };
  },
};

async function* counted() {
  for (const i of [1, 2, 3]) yield `line ${i}\n`;
}

function echo({ upgrade }: ExtensionRequest) {
  if (upgrade === undefined) return { status: 426, type: 'text/plain', text: 'say how to go on\n' };
  const { socket } = upgrade();
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
  socket.on('data', (data) => socket.write(`<${data}>`));
  return UPGRADED;
}

const usage = { cpu: '100m', memory: '64Mi' };
const about = (name: string, namespace?: string) => ({
  metadata: { name, ...(namespace === undefined ? {} : { namespace }), creationTimestamp: '2030-01-01T00:00:00Z' },
  timestamp: '2030-01-01T00:00:00Z',
  window: '30s',
});
const apiVersion = 'metrics.k8s.io/v1beta1';

const metrics: ApiExtension = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  priority: { group: 100, version: 100 },
  resources: [
    { name: 'nodes', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
    { name: 'pods', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
  ],
  handle({ resource, name, namespace }) {
    const node = { kind: 'NodeMetrics', apiVersion, ...about('n1'), usage };
    const containers = [{ name: 'c', usage }];
    const pod = { kind: 'PodMetrics', apiVersion, ...about('p1', namespace || 'default'), containers };
    const found = resource === 'nodes' ? node : pod;
    if (name === '')
      return { status: 200, body: { kind: `${found.kind}List`, apiVersion, metadata: {}, items: [found] } };
    if (name !== found.metadata.name) throw new KubeError(404, 'NotFound', `${resource} "${name}" not found`);
    return { status: 200, body: found };
  },
};

const START = `/apis/${GROUP}/v1/namespaces/default/machines`;
let plane: Plane;
beforeAll(async () => {
  plane = await startPlane({ extensions: [machines, metrics] });
});
afterAll(async () => await plane.plane.stop());

describe('an API group that is served by code', () => {
  it('receives a request as RBAC sees it, and the server sends its response', async () => {
    expect(await plane.ask('PUT', `${START}/web/start`, { paused: true })).toMatchObject({ code: 202, body: {} });
    const request = seen.at(-1);
    expect(request).toMatchObject({
      method: 'PUT',
      verb: 'update',
      resource: 'machines',
      subresource: 'start',
      namespace: 'default',
      name: 'web',
      user: { name: 'kubernetes-admin' },
    });
    expect(bodies.at(-1)).toBe('{"paused":true}');
    expect(request?.upgrade).toBeUndefined();
  });

  it('rejects a request with its own message', async () => {
    const { code, body } = await plane.ask('PUT', `${START}/busy/start`);
    expect(code).toBe(409);
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'it is busy',
      reason: 'Conflict',
      details: { name: 'busy', kind: 'machine' },
      code: 409,
    });
  });

  it('has its internal errors logged', async () => {
    expect(await plane.ask('GET', `${START}/web/fault`)).toMatchObject({
      code: 500,
      body: { reason: 'InternalError' },
    });
    expect(plane.log.entries.at(-1)).toMatchObject({ level: 'error', message: 'request failed' });
  });

  it.each([
    ['an unknown resource', 'PUT', `${START}/web/stop`, 404],
    ['an unknown version', 'PUT', `/apis/${GROUP}/v2/namespaces/default/machines/web/start`, 404],
    ['an unsupported verb', 'DELETE', `${START}/web/start`, 405],
    ['a namespaced resource without a namespace', 'PUT', `/apis/${GROUP}/v1/machines/web/start`, 404],
    ['a cluster-scoped resource with a namespace', 'GET', '/apis/metrics.k8s.io/v1beta1/namespaces/default/nodes', 404],
  ])('is not called for %s', async (_what, method, path, code) => {
    const before = seen.length;
    expect((await plane.ask(method, path)).code).toBe(code);
    expect(seen).toHaveLength(before);
  });

  it('is not called for users without permission', async () => {
    const client = plane.plane.client({ name: 'eve', groups: ['system:authenticated'] }, 'test');
    const path = `${START}/web/start`;
    const before = seen.length;
    await expect(client.request({ method: 'PUT', path })).rejects.toMatchObject({
      code: 403,
      message: `machines.${GROUP} "web" is forbidden: User "eve" cannot update resource "machines/start" in API group "${GROUP}" in the namespace "default"`,
    });
    expect(seen).toHaveLength(before);
    const rules = [{ apiGroups: [GROUP], resources: ['machines/start'], verbs: ['update'] }];
    await plane.ask('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', {
      metadata: { name: 'starter' },
      rules,
    });
    await plane.ask('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
      metadata: { name: 'starter' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'starter' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'eve' }],
    });
    await plane.until(async () => (await client.request({ method: 'PUT', path }).catch(() => undefined)) !== undefined);
    expect(seen.at(-1)?.user.name).toBe('eve');
  });

  it('is reported in discovery, plain and aggregated', async () => {
    const { body } = await plane.ask('GET', `/apis/${GROUP}/v1`);
    expect(body['resources']).toContainEqual({
      name: 'machines/start',
      singularName: '',
      namespaced: true,
      kind: 'Machine',
      verbs: ['update'],
    });
    const { body: groups } = await plane.ask('GET', '/apis');
    const names = (groups['groups'] as { name: string }[]).map(({ name }) => name);
    // They are in the order of their priority.
    expect(names.slice(-2)).toEqual([GROUP, 'metrics.k8s.io']);
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const headers = { authorization: `Bearer ${plane.plane.adminToken}`, accept };
    const response = await fetch(`${plane.plane.url}/apis`, { headers });
    const { items } = (await response.json()) as { items: { metadata: { name: string }; versions: object[] }[] };
    expect(items.find(({ metadata }) => metadata.name === GROUP)?.versions).toMatchObject([
      {
        version: 'v1',
        resources: [
          {
            resource: 'machines',
            responseKind: { group: '', version: '', kind: '' },
            scope: 'Namespaced',
            verbs: [],
            subresources: expect.arrayContaining([
              {
                subresource: 'start',
                responseKind: { group: GROUP, version: 'v1', kind: 'Machine' },
                verbs: ['update'],
              },
            ]),
          },
        ],
      },
    ]);
  });

  it('has an APIService that is available', async () => {
    const path = '/apis/apiregistration.k8s.io/v1/apiservices';
    expect((await plane.ask('GET', `${path}/v1beta1.metrics.k8s.io`)).body).toMatchObject({
      spec: { group: 'metrics.k8s.io', version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    expect((await plane.ask('GET', `${path}/v1.${GROUP}`)).body).toMatchObject({
      spec: { groupPriorityMinimum: 1000, versionPriority: 15 },
    });
  });

  it('is counted in the metrics', async () => {
    const { body } = await plane.ask('GET', '/metrics');
    expect(body['text']).toMatch(
      new RegExp(
        `apiserver_request_total\\{verb="PUT",group="${GROUP}",resource="machines",subresource="start",code="202"\\} \\d`,
      ),
    );
  });

  it('responds to in-process clients as to those over HTTP', async () => {
    const nodes: ResourceType = {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      plural: 'nodes',
      kind: 'NodeMetrics',
      namespaced: false,
    };
    const { client } = plane;
    expect(await client.get(nodes, 'n1')).toMatchObject({ kind: 'NodeMetrics', usage });
    expect((await client.list(nodes)).items).toHaveLength(1);
    await expect(client.get(nodes, 'n2')).rejects.toMatchObject({ code: 404, message: 'nodes "n2" not found' });
    expect(await client.request({ method: 'PUT', path: `${START}/web/start`, body: {} })).toEqual({
      status: 202,
      body: undefined,
    });
    expect(await client.raw(`${START}/web/log`)).toBe('line 1\nline 2\nline 3\n');
  });

  it('is also served as YAML', async () => {
    const headers = { authorization: `Bearer ${plane.plane.adminToken}`, accept: 'application/yaml' };
    const response = await fetch(`${plane.plane.url}/apis/metrics.k8s.io/v1beta1/nodes/n1`, { headers });
    expect(await response.text()).toContain('usage:\n  cpu: 100m\n');
  });
});

/** Returns what arrives on an upgraded connection, until it contains `last`. */
async function upgraded(socket: Socket, path: string, token: string, last: string): Promise<string> {
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nearly`,
  );
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    text += chunk.toString();
    if (text.includes('101 Switching') && !text.includes('<hello>')) socket.write('hello');
    if (text.includes(last)) break;
  }
  socket.destroy();
  return text;
}

describe.each([true, false])('an upgraded connection (without TLS: %s)', (insecure) => {
  let one: Plane;
  beforeAll(async () => {
    one = await startPlane({ insecure, extensions: [machines] });
  });
  afterAll(async () => await one.plane.stop());

  const open = (): Socket => {
    const { port, pki } = one.plane;
    if (insecure) return connectPlain(port, '127.0.0.1');
    return connectTls({ port, host: '127.0.0.1', ca: pki.caPem, ALPNProtocols: ['http/1.1'] });
  };

  it('is passed to an extension that accepts it', async () => {
    const text = await upgraded(open(), `${START}/web/console`, one.plane.adminToken, '<hello>');
    expect(text).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n/);
    expect(text).toContain('<hello>');
  });

  it('gets a response and is closed if no extension accepts it', async () => {
    const { adminToken } = one.plane;
    const rejected = await upgraded(open(), `${START}/busy/start`, adminToken, 'never');
    expect(rejected).toMatch(/^HTTP\/1.1 405 /);
    const pod = await upgraded(open(), '/api/v1/namespaces/default/pods/p/exec', adminToken, 'never');
    expect(pod).toMatch(/^HTTP\/1.1 (501|404) /);
    expect(await upgraded(open(), `${START}/web/console`, 'wrong', 'never')).toMatch(/^HTTP\/1.1 401 /);
  });

  it('is closed when the server stops', async () => {
    const other = await startPlane({ insecure: true, extensions: [machines] });
    const socket = connectPlain(other.plane.port, '127.0.0.1');
    const ended = upgraded(socket, `${START}/web/console`, other.plane.adminToken, 'never').catch(() => 'broken');
    await other.until(() => seen.at(-1)?.subresource === 'console');
    await other.plane.stop();
    expect(await ended).toBeDefined();
  });
});

describe.skipIf(!hasKubectl())('kubectl', () => {
  let one: Plane;
  let kubectl: Kubectl;
  beforeAll(async () => {
    one = await startPlane({ insecure: false, extensions: [machines, metrics] });
    kubectl = kubectlFor(one.plane);
    const status = { capacity: { cpu: '4', memory: '8Gi' }, allocatable: { cpu: '4', memory: '8Gi' } };
    const { client } = one;
    const nodes = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
    await client.create(nodes, { metadata: { name: 'n1' }, status });
  });
  afterAll(async () => {
    kubectl.close();
    await one.plane.stop();
  });

  it('shows the usage of nodes and pods', async () => {
    const nodes = await kubectl.run('top', 'nodes');
    expect(nodes, nodes.err).toMatchObject({ code: 0 });
    expect(nodes.out).toMatch(/^n1 +100m +2% +64Mi +0%/m);
    const pods = await kubectl.run('top', 'pods', '-A', '--containers');
    expect(pods.out).toMatch(/^default +p1 +c +100m +64Mi/m);
  });

  it('lists the resources of an extension, and explains other resources', async () => {
    const { out } = await kubectl.run('api-resources');
    expect(out).toMatch(/^nodes +metrics.k8s.io\/v1beta1 +false +NodeMetrics/m);
    expect(out).toMatch(/^pods +metrics.k8s.io\/v1beta1 +true +PodMetrics/m);
    expect(out).not.toContain('machines');
    const explained = await kubectl.run('explain', 'pods.spec.nodeName');
    expect(explained, explained.err).toMatchObject({ code: 0 });
    expect((await kubectl.run('get', 'nodes')).out).toMatch(/^n1 /m);
    expect((await kubectl.run('get', 'apiservice', 'v1beta1.metrics.k8s.io')).out).toMatch(/Local +True/);
    expect((await kubectl.run('get', 'nodes.metrics.k8s.io', 'n1', '-o', 'jsonpath={.usage.cpu}')).out).toBe('100m');
  });
});
