import { expect, test } from 'vitest';
import type { Pod } from '../kinds/pod/pod-spec.ts';
import { type Cluster, podOf, testCluster } from './chain.fixture.ts';
import type { Limit } from './limits.ts';

async function limited(limit: Limit): Promise<Cluster> {
  const cluster = await testCluster();
  await cluster.create('limitranges/x', { metadata: { name: 'l' }, spec: { limits: [limit] } });
  return cluster;
}

const container = (name: string, requests?: object, limits?: object) => ({
  name,
  image: 'i',
  resources: { ...(requests === undefined ? {} : { requests }), ...(limits === undefined ? {} : { limits }) },
});

test('containers get default requests and limits, which an annotation lists', async () => {
  const cluster = await limited({
    type: 'Container',
    default: { cpu: '500m', memory: '1Gi' },
    defaultRequest: { cpu: '100m', memory: '1Gi' },
  });
  const { spec, metadata } = (await cluster.create(
    'pods/x',
    podOf({ containers: [container('c'), container('d', { cpu: '200m' })], initContainers: [container('i')] }),
  )) as Pod;
  const whole = { requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: '500m', memory: '1Gi' } };
  expect(spec.containers?.map(({ resources }) => resources)).toEqual([
    whole,
    { ...whole, requests: { cpu: '200m', memory: '1Gi' } },
  ]);
  expect(spec.initContainers?.[0]?.resources).toEqual(whole);
  expect(metadata.annotations?.['kubernetes.io/limit-ranger']).toBe(
    'LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for container c; memory request for container d; cpu, memory limit for container d; cpu, memory request for init container i; cpu, memory limit for init container i',
  );
});

test('limits apply only to their own namespace', async () => {
  const cluster = await limited({ type: 'Container', max: { cpu: '1' } });
  await cluster.create('namespaces', { metadata: { name: 'free' } });
  await cluster.create('serviceaccounts/free', { metadata: { name: 'default' } });
  await expect(
    cluster.create('pods/free', podOf({ containers: [container('c', {}, { cpu: '8' })] })),
  ).resolves.toBeDefined();
});

const CONTAINER: Limit = {
  type: 'Container',
  default: { cpu: '500m' },
  defaultRequest: { cpu: '100m' },
  max: { cpu: '1' },
  min: { cpu: '50m' },
  maxLimitRequestRatio: { cpu: '4' },
};
const POD: Limit = {
  type: 'Pod',
  max: { cpu: '1', memory: '1Gi' },
  min: { cpu: '200m' },
  maxLimitRequestRatio: { memory: '2' },
};
const each = container('c', { cpu: '50m', memory: '100Mi' }, { cpu: '700m', memory: '1Gi' });

test.each<[problem: string, limit: Limit, spec: object]>([
  [
    'cpu max limit to request ratio per Container is 4, but provided ratio is 5.000000',
    CONTAINER,
    { containers: [container('c'), container('d', { cpu: '200m' })] },
  ],
  [
    '[minimum cpu usage per Container is 50m, but request is 10m, maximum cpu usage per Container is 1, but limit is 2, cpu max limit to request ratio per Container is 4, but provided ratio is 200.000000]',
    CONTAINER,
    { containers: [container('c', { cpu: '10m' }, { cpu: '2' })] },
  ],
  [
    '[maximum cpu usage per Container is 1, but limit is 2, maximum cpu usage per Container is 1, but limit is 3]',
    CONTAINER,
    { containers: [container('c', { cpu: '2' }, { cpu: '2' }), container('d', { cpu: '2' }, { cpu: '3' })] },
  ],
  [
    '[minimum cpu usage per Pod is 200m.  No request is specified, maximum cpu usage per Pod is 1.  No limit is specified, maximum memory usage per Pod is 1Gi.  No limit is specified, memory max limit to request ratio per Pod is 2, but no request is specified or request is 0]',
    POD,
    { containers: [container('c')] },
  ],
  [
    '[minimum cpu usage per Pod is 200m, but request is 100m, maximum cpu usage per Pod is 1, but limit is 1400m, maximum memory usage per Pod is 1Gi, but limit is 2Gi, memory max limit to request ratio per Pod is 2, but provided ratio is 10.240000]',
    POD,
    { containers: [each, { ...each, name: 'd' }] },
  ],
  [
    '[maximum cpu usage per Pod is 1, but limit is 2, maximum memory usage per Pod is 1Gi, but limit is 2Gi]',
    POD,
    {
      containers: [container('c', { cpu: '700m', memory: '1Gi' }, { cpu: '700m', memory: '1Gi' })],
      initContainers: [
        container('i', { cpu: '2', memory: '1Gi' }, { cpu: '2', memory: '1Gi' }),
        { ...container('s', { cpu: '1', memory: '1Gi' }, { cpu: '1', memory: '1Gi' }), restartPolicy: 'Always' },
      ],
    },
  ],
])('rejects a pod: %s', async (problem, limit, spec) => {
  const cluster = await limited(limit);
  const { message } = await cluster.refused(cluster.create('pods/x', podOf(spec)));
  expect(message).toBe(`pods "a" is forbidden: ${problem}`);
});

test.each([
  ['3Gi', 'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi'],
  ['1Mi', 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi'],
  ['1Gi', undefined],
])('rejects a claim for %s outside the limits of its namespace', async (storage, problem) => {
  const cluster = await limited({ type: 'PersistentVolumeClaim', max: { storage: '2Gi' }, min: { storage: '1Gi' } });
  const claim = {
    metadata: { name: 'p' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  };
  const created = cluster.create('persistentvolumeclaims/x', claim);
  if (problem === undefined) await expect(created).resolves.toBeDefined();
  else {
    expect((await cluster.refused(created)).message).toBe(`persistentvolumeclaims "p" is forbidden: ${problem}`);
  }
});
