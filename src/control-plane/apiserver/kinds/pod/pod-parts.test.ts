import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Plane, startPlane } from '../../apiextensions/plane.fixture.ts';

const CORE = '/api/v1/namespaces/default';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
let plane: Plane;
let made = 0;

beforeAll(async () => {
  plane = await startPlane();
  await plane.ask('POST', `${CORE}/serviceaccounts`, { metadata: { name: 'default' } });
  await plane.ask('POST', '/api/v1/nodes', { metadata: { name: 'node' } });
  await plane.ask(
    'PATCH',
    '/api/v1/nodes/node/status',
    { status: { allocatable: { cpu: '4', memory: '8Gi' } } },
    MERGE,
  );
});
afterAll(async () => {
  await plane.plane.stop();
});

interface Answer {
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly containers: readonly { readonly image: string; readonly resources: object }[] };
  readonly status: Readonly<Record<string, unknown>>;
}

/** Creates a pod on a node and returns its path. */
async function podWith(spec: object): Promise<string> {
  const name = `p${made++}`;
  const containers = [{ name: 'a', image: 'b' }];
  const created = await plane.ask('POST', `${CORE}/pods`, { metadata: { name }, spec: { containers, ...spec } });
  expect(created.code).toBe(201);
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: 'node' } };
  await plane.ask('POST', `${CORE}/pods/${name}/binding`, binding);
  return `${CORE}/pods/${name}`;
}

async function patch(path: string, body: object, type = STRATEGIC) {
  const { code, body: response } = await plane.ask('PATCH', path, body, type);
  return { code, message: (response['message'] ?? '') as string, pod: response as unknown as Answer };
}

describe('ephemeral containers', () => {
  const debug = (name: string, image = 'busybox') => ({ spec: { ephemeralContainers: [{ name, image }] } });

  test('are added only through their subresource, which increments the generation of the pod', async () => {
    const path = await podWith({});
    const main = await patch(path, debug('d'));
    expect([main.code, main.message]).toEqual([
      422,
      expect.stringContaining('pod updates may not change fields other'),
    ]);
    const added = await patch(`${path}/ephemeralcontainers`, { ...debug('d'), metadata: { labels: { a: 'b' } } });
    expect([added.code, added.pod.metadata]).toEqual([200, expect.objectContaining({ generation: 2 })]);
    expect(added.pod.metadata).not.toHaveProperty('labels');
  });

  test('cannot be changed or removed', async () => {
    const path = `${await podWith({})}/ephemeralcontainers`;
    await patch(path, debug('d'));
    expect((await patch(path, debug('d', 'other'))).message).toContain('ephemeral containers "d" may not be changed');
    const none = { spec: { ephemeralContainers: null } };
    expect((await patch(path, none, MERGE)).message).toContain('ephemeral containers "d" may not be removed');
  });
});

describe('a resize', () => {
  const amounts = (cpu?: string, memory?: string) => JSON.parse(JSON.stringify({ cpu, memory })) as object;
  const asking = { requests: amounts('100m', '100Mi'), limits: amounts('200m', '200Mi') };
  const resized = (resources: object, more: object = {}) => ({
    spec: { containers: [{ name: 'a', resources, ...more }] },
  });
  const burstable = () => podWith({ containers: [{ name: 'a', image: 'b', resources: asking }] });

  test('changes the resources of containers, and nothing else in the request', async () => {
    const path = await burstable();
    const done = await patch(`${path}/resize`, resized({ requests: amounts('150m') }, { image: 'other' }));
    expect([done.code, done.pod.metadata.generation]).toEqual([200, 2]);
    expect(done.pod.spec.containers[0]).toMatchObject({
      image: 'b',
      resources: { requests: amounts('150m', '100Mi'), limits: amounts('200m', '200Mi') },
    });
    const main = await patch(path, resized({ requests: amounts('160m') }));
    expect([main.code, main.message]).toEqual([
      422,
      expect.stringContaining('pod updates may not change fields other'),
    ]);
  });

  test.each([
    [
      'the QoS class',
      { requests: amounts('200m', '200Mi') },
      'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    ],
    [
      'a limit by removing it',
      { limits: null },
      'spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed',
    ],
    [
      'resources other than CPU and memory',
      { requests: { 'ephemeral-storage': '1Gi' } },
      'spec: Forbidden: only cpu and memory resources are mutable',
    ],
    [
      'a request to more than its limit',
      { requests: amounts('300m') },
      'spec.containers[0].resources.requests: Invalid value: "300m": must be less than or equal to cpu limit of 200m',
    ],
  ])('cannot change %s', async (_what, resources, reported) => {
    const path = await burstable();
    const { code, message } = await patch(`${path}/resize`, resized(resources));
    expect([code, message.replace(/^Pod "\w+" is invalid: /, '')]).toEqual([422, reported]);
  });

  test('cannot add containers, nor exceed the node', async () => {
    const path = `${await burstable()}/resize`;
    const more = await patch(path, { spec: { containers: [{ name: 'c', image: 'b' }] } });
    expect(more.message).toContain('spec.containers: Forbidden: containers may not be added or removed on resize');
    const big = await patch(path, resized({ requests: amounts('5'), limits: amounts('5') }));
    expect([big.code, big.message]).toEqual([
      403,
      expect.stringContaining("node didn't have enough allocatable resources: cpu, requested: 5000, allocatable: 4000"),
    ]);
  });
});

describe('the status of a pod', () => {
  const status = async (path: string, said: object) => await patch(`${path}/status`, { status: said }, MERGE);
  const state = (name: string, is: object) => ({
    name,
    image: '',
    imageID: '',
    ready: true,
    restartCount: 0,
    state: is,
  });

  test.each([
    [{ qosClass: 'Guaranteed' }, 'status.qosClass: Invalid value: "Guaranteed": field is immutable'],
    [
      { podIPs: [{ ip: 'x' }] },
      'status.podIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      { podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] },
      'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may specify no more than one IP for each IP family',
    ],
    [
      { hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.2' }] },
      'status.hostIPs[0].ip: Invalid value: "10.0.0.2": must be equal to `hostIP`',
    ],
    [
      { nominatedNodeName: 'n' },
      'status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node',
    ],
    [{ observedGeneration: -1 }, 'status.observedGeneration: Invalid value: -1: must be a non-negative integer'],
    [
      { resourceClaimStatuses: [{ name: 'x' }] },
      'status.resourceClaimStatuses[0].name: Invalid value: "x": must match the name of an entry in `spec.resourceClaims`',
    ],
  ])('cannot be %j', async (said, reported) => {
    const { code, message } = await status(await podWith({}), said);
    expect([code, message.replace(/^Pod "\w+" is invalid: /, '')]).toEqual([422, reported]);
  });

  test('has podIP and podIPs in sync', async () => {
    const path = await podWith({});
    expect((await status(path, { podIPs: [{ ip: '10.0.0.1' }] })).pod.status['podIP']).toBe('10.0.0.1');
    expect((await status(path, { podIP: '10.0.0.2' })).pod.status['podIPs']).toEqual([{ ip: '10.0.0.2' }]);
  });

  test('cannot restart a container that has terminated for good', async () => {
    const path = await podWith({ restartPolicy: 'OnFailure' });
    await status(path, { containerStatuses: [state('a', { terminated: { exitCode: 1 } })] });
    expect((await status(path, { containerStatuses: [state('a', { running: {} })] })).code).toBe(200);
    await status(path, { containerStatuses: [state('a', { terminated: { exitCode: 0 } })] });
    const back = await status(path, { containerStatuses: [state('a', { running: {} })] });
    expect([back.code, back.message]).toEqual([
      422,
      expect.stringContaining(
        'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated',
      ),
    ]);
  });
});
