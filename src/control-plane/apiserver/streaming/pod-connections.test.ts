import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectWebSocket } from '#platform/kube/http/connect-web-socket';
import { SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { PODS } from '#platform/kube/kinds/pod';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '#platform/kube/kinds/rbac';
import { KubeError } from '#platform/kube/kube-error';
import type { NodeRuntime } from '#platform/kube/node-runtime';
import { hasKubectl } from '#testing/programs';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';
import { type Kubectl, kubectlFor } from '../http/kubectl.fixture.ts';

const namespace = 'default';

/** Containers whose terminals and ports send back what they get, and whose commands print their arguments. */
const runtime: NodeRuntime = {
  logs: () => undefined,
  attach: async ({ pod, stdin }) => {
    if (pod.metadata.name === 'two') throw new KubeError(501, 'NotImplemented', 'pod "two" has no terminal');
    const terminal = new PassThrough();
    if (!stdin) terminal.end('read only\n');
    return terminal;
  },
  exec: async ({ command, stdin, container }) => {
    if (command[0] === 'missing') throw new KubeError(409, 'Conflict', 'no guest agent is connected');
    const input = Buffer.from((await stdin?.()) ?? []).toString();
    const stdout = Buffer.from(`${container}: ${command.join(' ')}${input === '' ? '' : ` < ${input}`}\n`);
    return { exitCode: command[0] === 'false' ? 3 : 0, stdout, stderr: Buffer.from('warning\n') };
  },
  connect: async (_pod, port) => {
    if (port === 81) throw new KubeError(500, 'InternalError', 'nothing listens on port 81');
    return new PassThrough();
  },
};

let plane: Plane;
let kubectl: Kubectl;

beforeAll(async () => {
  plane = await startPlane({ nodeRuntime: runtime, insecure: false });
  const { client } = plane;
  await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace } });
  const create = async (name: string, containers: string[], nodeName: string) => {
    const spec = { nodeName, containers: containers.map((each) => ({ name: each, image: 'i' })) };
    await client.create(PODS, { metadata: { name, namespace }, spec });
    const containerStatuses = containers.map((each) => ({ name: each, state: { running: {} }, ready: true }));
    const body = { status: { phase: nodeName === '' ? 'Pending' : 'Running', containerStatuses } };
    await client.patch(PODS, name, { type: 'merge', body }, { namespace, subresource: 'status' });
  };
  await create('one', ['main'], 'n1');
  await create('two', ['main', 'side'], 'n1');
  await create('free', ['main'], '');
  const rules = [{ apiGroups: [''], resources: ['pods', 'pods/exec', 'pods/attach'], verbs: ['get'] }];
  await client.create(CLUSTER_ROLES, { metadata: { name: 'looker' }, rules });
  await client.create(CLUSTER_ROLE_BINDINGS, {
    metadata: { name: 'looker' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'looker' },
    subjects: [{ kind: 'User', name: 'looker', apiGroup: 'rbac.authorization.k8s.io' }],
  });
  kubectl = kubectlFor(plane.plane);
});
afterAll(async () => {
  kubectl.close();
  await plane.plane.stop();
});

const open = (path: string, protocols: readonly string[], user?: string) =>
  connectWebSocket(
    {
      server: plane.plane.url,
      ca: plane.plane.pki.caPem,
      insecure: false,
      namespace,
      headers: async () => ({
        authorization: `Bearer ${plane.plane.adminToken}`,
        ...(user === undefined ? {} : { 'Impersonate-User': user }),
      }),
      certificate: async () => undefined,
      refused: () => false,
    },
    `/api/v1/namespaces/${namespace}/pods/${path}`,
    protocols,
  );

const V5 = ['v5.channel.k8s.io'];
const rejection = async (path: string, protocols = V5, user?: string) =>
  await open(path, protocols, user).then(
    () => 'connected',
    (error: unknown) => (error instanceof KubeError ? `${error.code} ${error.message}` : String(error)),
  );

describe('a connection to a pod', () => {
  it.each([
    ['none/exec?command=ls', '404 pods "none" not found'],
    ['none/attach', '404 pods "none" not found'],
    ['none/portforward', '404 pods "none" not found'],
    ['one/exec?command=ls&container=x', '400 container x is not valid for pod one'],
    ['two/exec?command=ls', '400 a container name must be specified for pod two, choose one of: [main side]'],
    ['free/exec?command=ls', '400 pod free does not have a host assigned'],
    ['one/exec', '400 you must specify at least 1 command for the container'],
    ['two/attach?container=main', '501 pod "two" has no terminal'],
  ])('to %s is rejected with %s', async (path, expected) => {
    expect(await rejection(path)).toBe(expected);
  });

  it('needs a protocol that is served', async () => {
    expect(await rejection('one/exec?command=ls', ['base64.channel.k8s.io'])).toMatch(
      /^400 unable to upgrade connection: the client offers .*\[base64.channel.k8s.io\].*\[v5.channel.k8s.io v4.channel.k8s.io\]$/,
    );
    expect(await rejection('one/portforward', V5)).toContain('SPDY/3.1+portforward.k8s.io');
  });

  it('needs the permission to create it, although it begins with a GET', async () => {
    expect(await rejection('one/exec?command=ls', V5, 'looker')).toMatch(
      /^403 pods "one" is forbidden: User "looker" cannot create resource "pods\/exec"/,
    );
    expect(await rejection('one/attach', V5, 'looker')).toMatch(/^403 /);
    expect(await rejection('one/portforward', V5, 'looker')).toMatch(/^403 /);
  });

  it('needs an upgrade', async () => {
    const path = `/api/v1/namespaces/${namespace}/pods/one/exec?command=ls`;
    await expect(plane.client.request({ method: 'POST', path })).rejects.toThrow('Upgrade request required');
  });

  it('survives messages that make no sense', async () => {
    const { stream } = await open('one/attach?stdin=true', V5);
    stream.write(Buffer.alloc(0));
    stream.write(Buffer.of(99, 1, 2));
    stream.write(Buffer.of(255));
    stream.write(Buffer.of(0, 0x68, 0x69));
    const [message] = (await stream.take(1).toArray()) as Buffer[];
    expect(message).toEqual(Buffer.from('\u0001hi'));
  });
});

describe.skipIf(!hasKubectl())('kubectl', () => {
  it('runs commands, with their output, input and exit code', async () => {
    expect(await kubectl.run('exec', 'one', '--', 'echo', 'a b')).toMatchObject({ code: 0, out: 'main: echo a b\n' });
    const failed = await kubectl.run('exec', 'two', '-c', 'side', '--', 'false');
    expect(failed).toMatchObject({ code: 3, out: 'side: false\n' });
    expect(failed.err).toContain('command terminated with exit code 3');
    expect((await kubectl.run('exec', 'one', '--', 'missing')).err).toContain('no guest agent is connected');
    const child = spawn('kubectl', [...kubectl.flags, 'exec', '-i', 'one', '--', 'cat'], { stdio: 'pipe' });
    child.stdin.end('typed');
    const [out] = (await child.stdout.toArray()) as Buffer[];
    expect(out?.toString()).toBe('main: cat < typed\n');
  });

  it('attaches to the terminal', async () => {
    expect((await kubectl.run('attach', 'one')).out).toContain('read only');
  });

  it('forwards ports, also much data', async () => {
    const child = spawn('kubectl', [...kubectl.flags, 'port-forward', 'one', ':80', ':81'], { stdio: 'pipe' });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    try {
      await vi.waitUntil(() => said.includes('-> 81'), { timeout: 30_000 });
      const portOf = (remote: number) => Number(new RegExp(`127.0.0.1:(\\d+) -> ${remote}`).exec(said)?.[1]);
      const socket = connect(portOf(80), '127.0.0.1');
      const sent = Buffer.alloc(2 << 20, 'data');
      socket.end(sent);
      const received = Buffer.concat((await socket.toArray()) as Buffer[]);
      expect(received.equals(sent)).toBe(true);
      connect(portOf(81), '127.0.0.1').on('error', () => undefined);
      await vi.waitUntil(() => said.includes('nothing listens on port 81'), { timeout: 30_000 });
    } finally {
      child.kill();
    }
  });
});
