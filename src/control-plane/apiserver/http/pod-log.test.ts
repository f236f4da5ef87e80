import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { PODS } from '#platform/kube/kinds/pod';
import type { LogRequest, NodeRuntime } from '#platform/kube/node-runtime';
import { hasKubectl } from '#testing/programs';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';
import { type Kubectl, kubectlFor } from './kubectl.fixture.ts';

const START = Date.UTC(2020, 0, 1);
const requested: LogRequest[] = [];
let tell: (text: string) => void = () => undefined;

/** Runs containers that print "a" and "b", and after that what the test specifies. */
const runtime: NodeRuntime = {
  logs(request) {
    requested.push(request);
    if (request.pod.metadata.name === 'lost') return undefined;
    const lines = ['a', 'b'].map((text, i) => ({ time: START + i * 1000, text: `${request.container} ${text}` }));
    return { lines, ...(request.follow ? { following: live(request.signal) } : {}) };
  },
};

async function* live(signal: AbortSignal) {
  while (!signal.aborted) {
    const text = await new Promise<string | undefined>((resolve) => {
      tell = resolve;
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    if (text === undefined || text === 'end') return;
    yield { time: START, text };
  }
}

const container = (name: string) => ({ name, image: 'i' });
const running = (name: string) => ({
  name,
  state: { running: {} },
  ready: true,
  restartCount: 0,
  image: 'i',
  imageID: '',
});

async function createPods(client: Client): Promise<void> {
  const inDefault = { namespace: 'default' };
  await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', ...inDefault } });
  const create = async (name: string, names: string[], started: boolean, more: object = {}) => {
    const spec = { containers: names.map(container), nodeName: 'n1', ...more };
    await client.create(PODS, { metadata: { name, ...inDefault }, spec });
    const status = { phase: 'Running', containerStatuses: names.map(running) };
    if (!started) return;
    await client.patch(PODS, name, { type: 'merge', body: { status } }, { ...inDefault, subresource: 'status' });
  };
  await create('one', ['c'], true);
  await create('two', ['c', 'd'], true, { initContainers: [container('i')] });
  await create('early', ['c'], false);
  await create('free', ['c'], false, { nodeName: '' });
  await create('lost', ['c'], true);
}

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane({ nodeRuntime: runtime, insecure: false });
  await createPods(plane.client);
});
afterAll(async () => await plane.plane.stop());

const log = async (query: string) => {
  try {
    const response = await plane.client.request({ method: 'GET', path: `/api/v1/namespaces/default/pods/${query}` });
    return `${response.status} ${String(response.body)}`;
  } catch (error) {
    const { code, message } = error as { code: number; message: string };
    return `${code} ${message}`;
  }
};

describe('the log of a pod', () => {
  it.each([
    ['one/log', '200 c a\nc b\n'],
    ['one/log?container=c', '200 c a\nc b\n'],
    ['one/log?tailLines=1&timestamps=true', '200 2020-01-01T00:00:01.000000000Z c b\n'],
    ['one/log?sinceTime=2020-01-01T00:00:01Z', '200 c b\n'],
    ['one/log?sinceSeconds=5', '200 undefined'],
    ['one/log?limitBytes=2', '200 c '],
    ['two/log', '400 a container name must be specified for pod two, choose one of: [i c d]'],
    ['two/log?container=d', '200 d a\nd b\n'],
    ['two/log?container=i', '400 container "i" in pod "two" is waiting to start: ContainerCreating'],
    ['one/log?container=x', '400 container x is not valid for pod one'],
    ['one/log?previous=true', '400 previous terminated container "c" in pod "one" not found'],
    ['early/log', '400 container "c" in pod "early" is waiting to start: ContainerCreating'],
    ['free/log', '204 undefined'],
    ['lost/log', '400 container "c" in pod "lost" is not available'],
    ['none/log', '404 pods "none" not found'],
    [
      'one/log?tailLines=-1&limitBytes=0',
      '422 PodLogOptions "one" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0]',
    ],
    [
      'one/log?sinceSeconds=0',
      '422 PodLogOptions "one" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0',
    ],
    [
      'one/log?sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z',
      '422 PodLogOptions "one" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
    ['one/log?tailLines=x', '400 strconv.ParseInt: parsing "x": invalid syntax'],
    ['one/log?sinceTime=zz', '400 parsing time "zz" as "2006-01-02T15:04:05Z07:00": cannot parse "zz" as "2006"'],
    ['one/exec?command=ls', '501 the subresource pods/exec is not served by this control plane'],
  ])('%s', async (query, response) => {
    expect(await log(query)).toBe(response);
  });

  it('requires permission', async () => {
    const client = plane.plane.client({ name: 'eve', groups: ['system:authenticated'] }, 'test');
    await expect(client.raw('/api/v1/namespaces/default/pods/one/log')).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining('cannot get resource "pods/log"'),
    });
  });

  it('is rejected with a message if no component runs pods', async () => {
    const bare = await startPlane();
    await createPods(bare.client);
    const path = '/api/v1/namespaces/default/pods/one/log';
    expect(await bare.ask('GET', path)).toMatchObject({ code: 501, body: { reason: 'NotImplemented' } });
    await bare.plane.stop();
  });
});

describe.skipIf(!hasKubectl())('kubectl logs', () => {
  let kubectl: Kubectl;
  beforeAll(() => {
    kubectl = kubectlFor(plane.plane);
  });
  afterAll(() => kubectl.close());

  it('shows a log, its last lines, and why there is none', async () => {
    expect((await kubectl.run('logs', 'one')).out).toBe('c a\nc b\n');
    expect((await kubectl.run('logs', 'two', '-c', 'd', '--tail=1')).out).toBe('d b\n');
    expect((await kubectl.run('logs', 'two', '--all-containers', '--prefix', '--tail=1')).err).toContain(
      'ContainerCreating',
    );
    expect((await kubectl.run('logs', 'one', '--timestamps', '--limit-bytes=20')).out).toBe('2020-01-01T00:00:00.');
    expect((await kubectl.run('logs', 'one', '--since=1h')).out).toBe('');
    expect(await kubectl.run('logs', 'one', '-p')).toMatchObject({
      code: 1,
      err: expect.stringContaining('previous terminated container "c" in pod "one" not found'),
    });
  });

  it('follows new lines until the log ends, and stops when it is interrupted', async () => {
    const before = requested.length;
    const child = spawn('kubectl', [...kubectl.flags, 'logs', '-f', 'one', '--tail=1']);
    let out = '';
    child.stdout.on('data', (data: Buffer) => {
      out += data.toString();
    });
    await plane.until(() => out.includes('c b\n'));
    tell('more');
    await plane.until(() => out.includes('more\n'));
    tell('end');
    await once(child, 'close');
    expect(out).toBe('c b\nmore\n');
    const other = spawn('kubectl', [...kubectl.flags, 'logs', '-f', 'one']);
    await plane.until(() => requested.length === before + 2);
    expect(requested.at(-1)?.signal.aborted).toBe(false);
    other.kill();
    await plane.until(() => requested.at(-1)?.signal.aborted === true);
  });
});
