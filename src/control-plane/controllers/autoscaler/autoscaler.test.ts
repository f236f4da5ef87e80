import { afterEach, beforeEach, expect, it } from 'vitest';
import { timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { HORIZONTAL_POD_AUTOSCALERS, type MetricSpec } from '#platform/kube/kinds/autoscaling';
import { PODS } from '#platform/kube/kinds/pod';
import { DEPLOYMENTS } from '#platform/kube/kinds/workloads';
import { KubeError } from '#platform/kube/kube-error';
import { runnable } from '#platform/runtime/controller';
import { DiscoveryCache } from '#platform/runtime/discovery-cache';
import { manager } from '#platform/runtime/manager';
import { type Cluster, startCluster } from '#testing/cluster';
import { controllerDeps } from '#testing/controller-deps';
import { autoscalerController } from './controller.ts';

let cluster: Cluster;
let admin: Client;
/** Responses of the metrics APIs by the start of their path. */
let answers: Record<string, unknown> = {};
const recorded: string[] = [];

beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
  answers = {};
  recorded.length = 0;
  const parts = controllerDeps(cluster, 'horizontal-pod-autoscaler');
  const catalog = new DiscoveryCache(controllerDeps(cluster, 'generic-garbage-collector'));
  const client = withMetrics(parts.client);
  const events = {
    event: (_object: unknown, type: string, reason: string, message: string) =>
      void recorded.push(`${type} ${reason} ${message}`),
  };
  const controller = runnable(autoscalerController(catalog), { ...parts, client, events });
  cluster.run(manager('test', [parts.informers, catalog, controller]));
});
afterEach(() => cluster.stop());

/** Returns a client for which other servers serve the metrics APIs. */
const withMetrics = (client: Client): Client =>
  new Proxy(client, {
    get(target, name) {
      if (name !== 'raw') {
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      }
      return async (path: string) => {
        if (!path.includes('metrics.k8s.io')) return await target.raw(path);
        const found = Object.entries(answers).find(([prefix]) => path.startsWith(prefix));
        if (found === undefined) throw new KubeError(404, 'NotFound', 'not found');
        return JSON.stringify(found[1]);
      };
    },
  });

const namespace = 'default';
const labels = { app: 'web' };
const createDeployment = async (replicas: number) => {
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }];
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  await admin.create(DEPLOYMENTS, { metadata: { name: 'web', namespace }, spec });
  for (let at = 0; at < replicas; at++) await createPod(`p${at}`, containers);
};
const createPod = async (name: string, containers: { name: string; image: string }[]) => {
  await admin.create(PODS, { metadata: { name, namespace, labels }, spec: { containers } });
  const lastTransitionTime = '2029-12-31T00:00:00Z';
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime }];
  const body = { status: { phase: 'Running', startTime: lastTransitionTime, conditions } };
  await admin.patch(PODS, name, { type: 'merge', body }, { namespace, subresource: 'status' });
};
const createAutoscaler = (metrics: MetricSpec[], name = 'web') =>
  admin.create(HORIZONTAL_POD_AUTOSCALERS, {
    metadata: { name, namespace },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 10, metrics },
  });
const cpu: MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};
const use = (...usage: string[]) => {
  const items = usage.map((each, at) => ({
    metadata: { name: `p${at}` },
    timestamp: timestamp(cluster.clock.now()),
    window: '30s',
    containers: [{ name: 'c', usage: { cpu: each } }],
  }));
  answers['/apis/metrics.k8s.io/v1beta1/namespaces/default/pods?labelSelector=app%3Dweb'] = { items };
};
const replicas = async () => (await admin.get(DEPLOYMENTS, 'web', { namespace })).spec.replicas;
const status = async () => (await admin.get(HORIZONTAL_POD_AUTOSCALERS, 'web', { namespace })).status;
const conditions = async () =>
  (await status())?.conditions?.map((each) => `${each.type} ${each.status} ${each.reason}`) ?? [];

it('scales by the usage of its pods, and scales down only after the stabilization window', async () => {
  await createDeployment(2);
  use('100m', '100m');
  await createAutoscaler([cpu]);
  await cluster.until(async () => (await replicas()) === 4);
  await cluster.until(async () => (await status())?.desiredReplicas === 4);
  expect(await status()).toMatchObject({
    currentReplicas: 2,
    currentMetrics: [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 100, averageValue: '100m' } } },
    ],
  });
  expect(await conditions()).toEqual([
    'AbleToScale True SucceededRescale',
    'ScalingActive True ValidMetricFound',
    'ScalingLimited False DesiredWithinRange',
  ]);
  expect(recorded).toEqual([
    'Normal SuccessfulRescale New size: 4; reason: cpu resource utilization (percentage of request) above target',
  ]);
  use('1m', '1m');
  await cluster.clock.advance(16_000);
  await cluster.until(async () => (await conditions())[0] === 'AbleToScale True ScaleDownStabilized');
  expect(await replicas()).toBe(4);
  await cluster.clock.advance(5 * 60_000);
  await cluster.until(async () => (await replicas()) === 1);
});

it('reports why it cannot scale, and keeps the replicas', async () => {
  await createAutoscaler([cpu]);
  await cluster.until(async () => (await conditions())[0] === 'AbleToScale False FailedGetScale');
  await createDeployment(2);
  await cluster.clock.advance(16_000);
  await cluster.until(async () => (await conditions()).includes('ScalingActive False FailedGetResourceMetric'));
  expect((await status())?.conditions?.[1]?.message).toBe(
    'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource',
  );
  expect(await replicas()).toBe(2);
  await createAutoscaler([cpu], 'other');
  use('50m', '50m');
  await cluster.clock.advance(31_000);
  await cluster.until(async () => (await conditions()).includes('ScalingActive False AmbiguousSelector'));
});

it('uses the highest recommendation of external metrics', async () => {
  await createDeployment(2);
  const items = [
    { describedObject: { name: 'p0' }, value: '10' },
    { describedObject: { name: 'p1' }, value: '10' },
  ];
  answers['/apis/custom.metrics.k8s.io/v1beta1/namespaces/default/pods/*/requests?labelSelector=app%3Dweb'] = { items };
  answers['/apis/custom.metrics.k8s.io/v1beta1/namespaces/default/deployments.apps/web/load'] = {
    items: [{ value: '3' }],
  };
  answers['/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue?labelSelector=q%3Da'] = {
    items: [{ value: '20' }, { value: '30' }],
  };
  const target = { type: 'AverageValue' as const, averageValue: '10' };
  await createAutoscaler([
    { type: 'Pods', pods: { metric: { name: 'requests' }, target } },
    {
      type: 'Object',
      object: {
        metric: { name: 'load' },
        describedObject: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        target: { type: 'Value', value: '2' },
      },
    },
    { type: 'External', external: { metric: { name: 'queue', selector: { matchLabels: { q: 'a' } } }, target } },
  ]);
  await cluster.until(async () => (await replicas()) === 4);
  await cluster.until(async () => (await status())?.desiredReplicas === 4);
  expect(await conditions()).toContain('ScalingLimited True ScaleUpLimit');
  const current = { value: '3' };
  expect((await status())?.currentMetrics).toMatchObject([
    { type: 'Pods' },
    { object: { current } },
    { type: 'External' },
  ]);
});
