import { describe, expect, test } from 'vitest';
import { type Cluster, podOf, testCluster } from '../chain.fixture.ts';

type Amounts = Readonly<Record<string, string>>;

async function withQuota(
  hard: Amounts,
  used: Amounts,
  spec: object = {},
  name = 'q',
  given?: Cluster,
): Promise<Cluster> {
  const cluster = given ?? (await testCluster());
  await cluster.create('resourcequotas/x', { metadata: { name }, spec: { hard, ...spec } });
  await cluster.patch(`resourcequotas/x/${name}/status`, { status: { hard, used } });
  return cluster;
}

const usedOf = (cluster: Cluster, name = 'q') =>
  (cluster.get(`resourcequotas/x/${name}`)?.['status'] as { readonly used?: Amounts } | undefined)?.used;

const container = (name: string, requests: object = {}, limits: object = {}) => ({
  name,
  image: 'i',
  resources: { requests, limits },
});
const sized = podOf({ containers: [container('c', { cpu: '300m' }, { memory: '128Mi' })] });

describe('a pod', () => {
  const HARD = { pods: '2', 'requests.cpu': '1', 'limits.memory': '1Gi' };
  const NOTHING = { pods: '0', 'requests.cpu': '0', 'limits.memory': '0' };

  test('is charged to the quotas of its namespace', async () => {
    const cluster = await withQuota(HARD, NOTHING);
    await cluster.create('pods/x', sized);
    expect(usedOf(cluster)).toEqual({ pods: '1', 'requests.cpu': '300m', 'limits.memory': '128Mi' });
  });

  test('is not charged on a dry run', async () => {
    const cluster = await withQuota(HARD, NOTHING);
    await cluster.create('pods/x', sized, { dryRun: true });
    expect(usedOf(cluster)).toEqual(NOTHING);
  });

  test('that could not be stored is refunded', async () => {
    const cluster = await withQuota(HARD, NOTHING);
    await cluster.create('pods/x', sized);
    await cluster.refused(cluster.create('pods/x', sized));
    await expect.poll(() => usedOf(cluster)?.['pods']).toBe('1');
  });

  test('with pod-level resources needs none in its containers', async () => {
    const cluster = await withQuota(HARD, NOTHING);
    await cluster.create('pods/x', podOf({ resources: { requests: { cpu: '500m' }, limits: { cpu: '1' } } }));
    expect(usedOf(cluster)).toEqual({ pods: '1', 'requests.cpu': '500m', 'limits.memory': '0' });
  });

  test.each<[problem: string, hard: Amounts, used: Amounts, spec: object]>([
    ['exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2', { pods: '2' }, { pods: '2' }, {}],
    [
      'failed quota: q: must specify limits.memory for: i,i2; requests.cpu for: i',
      HARD,
      NOTHING,
      {
        containers: [container('c', { cpu: '300m' }, { memory: '128Mi' })],
        initContainers: [container('i'), container('i2', { cpu: '1' })],
      },
    ],
    [
      'exceeded quota: q, requested: limits.memory=2Gi,requests.cpu=2, used: limits.memory=0,requests.cpu=0, limited: limits.memory=1Gi,requests.cpu=1',
      HARD,
      NOTHING,
      { containers: [container('c', { cpu: '2' }, { memory: '2Gi' })] },
    ],
    ['status unknown for quota: q, resources: count/pods,pods', { pods: '1', 'count/pods': '1' }, { pods: '0' }, {}],
  ])('is rejected: %s', async (problem, hard, used, spec) => {
    const cluster = await withQuota(hard, used);
    const { code, message } = await cluster.refused(cluster.create('pods/x', podOf(spec)));
    expect([code, message]).toEqual([403, `pods "a" is forbidden: ${problem}`]);
    expect(usedOf(cluster)).toEqual(used);
  });

  test.each<[scope: object, inside: object, outside: object]>([
    [{ scopes: ['BestEffort'] }, {}, { containers: [container('c', { cpu: '1' })] }],
    [{ scopes: ['NotBestEffort'] }, { containers: [container('c', { cpu: '1' })] }, {}],
    [{ scopes: ['Terminating'] }, { activeDeadlineSeconds: 3 }, {}],
    [{ scopes: ['NotTerminating'] }, {}, { activeDeadlineSeconds: 3 }],
    [
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
      { priorityClassName: 'high' },
      {},
    ],
  ])('counts if it is in the scope %j', async (scope, inside, outside) => {
    const cluster = await withQuota({ pods: '0' }, { pods: '0' }, scope);
    await cluster.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'high' }, value: 9 });
    await expect(cluster.create('pods/x', podOf(outside, { name: 'o' }))).resolves.toBeDefined();
    expect((await cluster.refused(cluster.create('pods/x', podOf(inside)))).message).toContain('exceeded quota');
  });
});

test('concurrent writers use exactly the whole quota', async () => {
  const cluster = await withQuota({ pods: '10' }, { pods: '0' });
  const writes = Array.from({ length: 50 }, (_, i) => cluster.create('pods/x', podOf({}, { name: `p${i}` })));
  const results = await Promise.allSettled(writes);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  expect(usedOf(cluster)).toEqual({ pods: '10' });
});

test('a write that one of two quotas rejects is charged to neither', async () => {
  const cluster = await withQuota({ pods: '5' }, { pods: '0' }, {}, 'large');
  await withQuota({ pods: '0' }, { pods: '0' }, {}, 'small', cluster);
  await cluster.refused(cluster.create('pods/x', podOf()));
  expect(usedOf(cluster, 'large')).toEqual({ pods: '0' });
});

describe('other objects', () => {
  test.each<[problem: string, hard: Amounts, path: string, object: object]>([
    [
      'configmaps "o" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=0, limited: count/configmaps=0',
      { 'count/configmaps': '0', configmaps: '3' },
      'configmaps/x',
      {},
    ],
    [
      'deployments.apps "o" is forbidden: exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=0, limited: count/deployments.apps=0',
      { 'count/deployments.apps': '0' },
      'deployments.apps/x',
      {
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
    ],
    [
      'persistentvolumeclaims "o" is forbidden: exceeded quota: q, requested: gold.storageclass.storage.k8s.io/requests.storage=2Gi, used: gold.storageclass.storage.k8s.io/requests.storage=0, limited: gold.storageclass.storage.k8s.io/requests.storage=1Gi',
      { persistentvolumeclaims: '1', 'gold.storageclass.storage.k8s.io/requests.storage': '1Gi' },
      'persistentvolumeclaims/x',
      {
        spec: {
          storageClassName: 'gold',
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '2Gi' } },
        },
      },
    ],
    [
      'services "o" is forbidden: exceeded quota: q, requested: services.loadbalancers=1,services.nodeports=2, used: services.loadbalancers=0,services.nodeports=0, limited: services.loadbalancers=0,services.nodeports=1',
      { services: '2', 'services.nodeports': '1', 'services.loadbalancers': '0' },
      'services/x',
      {
        spec: {
          type: 'LoadBalancer',
          ports: [
            { name: 'a', port: 1 },
            { name: 'b', port: 2 },
          ],
        },
      },
    ],
  ])('are counted: %s', async (problem, hard, path, object) => {
    const none = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
    const cluster = await withQuota(hard, none);
    const { message } = await cluster.refused(cluster.create(path, { metadata: { name: 'o' }, ...object }));
    expect(message).toBe(problem);
  });

  test('are charged for what an update adds', async () => {
    const cluster = await withQuota(
      { services: '2', 'services.nodeports': '1' },
      { services: '0', 'services.nodeports': '0' },
    );
    await cluster.create('services/x', { metadata: { name: 's' }, spec: { ports: [{ port: 1 }] } });
    await cluster.patch('services/x/s', { spec: { type: 'NodePort' } });
    expect(usedOf(cluster)).toEqual({ services: '1', 'services.nodeports': '1' });
  });

  test('are charged in full by a quota if an update moves them into its scope', async () => {
    const scope = { scopes: ['VolumeAttributesClass'] };
    const cluster = await withQuota({ persistentvolumeclaims: '1' }, { persistentvolumeclaims: '0' }, scope);
    const requests = { storage: '2Gi' };
    const claim = (name: string) =>
      cluster.create('persistentvolumeclaims/x', {
        metadata: { name },
        spec: { storageClassName: 's', accessModes: ['ReadWriteOnce'], resources: { requests } },
      });
    await Promise.all(['a', 'b'].map(claim));
    expect(usedOf(cluster)).toEqual({ persistentvolumeclaims: '0' });
    for (const name of ['a', 'b']) {
      await cluster.patch(`persistentvolumeclaims/x/${name}/status`, { status: { phase: 'Bound' } });
    }
    const enter = { spec: { volumeAttributesClassName: 'gold' } };
    await cluster.patch('persistentvolumeclaims/x/a', enter);
    expect(usedOf(cluster)).toEqual({ persistentvolumeclaims: '1' });
    const { message } = await cluster.refused(cluster.patch('persistentvolumeclaims/x/b', enter));
    expect(message).toContain('exceeded quota: q, requested: persistentvolumeclaims=1');
  });
});
