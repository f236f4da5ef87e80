import { afterEach, beforeEach, expect, it } from 'vitest';
import { timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { CONTROLLER_REVISIONS, STATEFUL_SETS, type StatefulSet } from '#platform/kube/kinds/workloads';
import { type Cluster, startCluster } from '#testing/cluster';
import { runController } from '#testing/controller-deps';
import { statefulSetController } from './controller.ts';

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
  runController(cluster, 'statefulset-controller', statefulSetController());
});
afterEach(() => cluster.stop());

const namespace = 'default';
const labels = { app: 'db' };
const image = (tag: string) => ({ containers: [{ name: 'main', image: `registry.example.com/db:${tag}` }] });
const createSet = (spec: Partial<StatefulSet['spec']> = {}) =>
  admin.create(STATEFUL_SETS, {
    metadata: { name: 'db', namespace },
    spec: {
      replicas: 2,
      serviceName: 'db',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: image('1') },
      ...spec,
    },
  });
const patch = (spec: object) => admin.patch(STATEFUL_SETS, 'db', { type: 'merge', body: { spec } }, { namespace });
const names = async () =>
  (await admin.list(PODS, { namespace })).items.map(({ metadata }) => metadata.name ?? '').sort();
const status = async () => (await admin.get(STATEFUL_SETS, 'db', { namespace })).status;
const runPods = async (...pods: string[]) => {
  const lastTransitionTime = timestamp(cluster.clock.now());
  const body = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] } };
  for (const name of pods) await admin.patch(PODS, name, { type: 'merge', body }, { namespace, subresource: 'status' });
};
const hasPods = (...pods: string[]) => cluster.until(async () => (await names()).join() === pods.join());

it('creates its pods one after the other, each with its name, claim and revision', async () => {
  await createSet({
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  });
  await hasPods('db-0');
  await cluster.settle();
  expect(await names()).toEqual(['db-0']);
  await runPods('db-0');
  await hasPods('db-0', 'db-1');
  await runPods('db-1');
  await cluster.until(async () => (await status())?.readyReplicas === 2);
  const [revision] = (await admin.list(CONTROLLER_REVISIONS, { namespace })).items;
  const pod = await admin.get(PODS, 'db-1', { namespace });
  expect(pod.metadata.labels).toEqual({
    app: 'db',
    'statefulset.kubernetes.io/pod-name': 'db-1',
    'apps.kubernetes.io/pod-index': '1',
    'controller-revision-hash': revision?.metadata.name,
  });
  expect(pod.spec).toMatchObject({
    hostname: 'db-1',
    subdomain: 'db',
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } }, {}],
  });
  const claims = (await admin.list(PERSISTENT_VOLUME_CLAIMS, { namespace })).items;
  expect(claims.map(({ metadata }) => metadata.name)).toEqual(['data-db-0', 'data-db-1']);
  expect(await status()).toMatchObject({
    replicas: 2,
    observedGeneration: 1,
    currentRevision: revision?.metadata.name,
  });
});

it('rolls out a new template from the last pod to the first, and rolls back to the same revision', async () => {
  await createSet({ podManagementPolicy: 'Parallel' });
  await hasPods('db-0', 'db-1');
  await runPods('db-0', 'db-1');
  await cluster.until(async () => (await status())?.readyReplicas === 2);
  const first = (await status())?.currentRevision;
  await patch({ template: { spec: image('2') } });
  await cluster.until(async () => (await admin.list(CONTROLLER_REVISIONS, { namespace })).items.length === 2);
  const replaced = async (name: string, tag: string) =>
    await cluster.until(async () => {
      const pod = (await admin.list(PODS, { namespace })).items.find(({ metadata }) => metadata.name === name);
      return (
        pod?.spec.containers[0]?.image?.endsWith(`:${tag}`) === true && pod.metadata.deletionTimestamp === undefined
      );
    });
  await replaced('db-1', '2');
  await runPods('db-1');
  await replaced('db-0', '2');
  await runPods('db-0');
  await cluster.until(async () => (await status())?.currentRevision === (await status())?.updateRevision);
  expect((await status())?.currentRevision).not.toBe(first);
  await patch({ template: { spec: image('1') } });
  await cluster.until(async () => (await status())?.updateRevision === first);
  const numbers = (await admin.list(CONTROLLER_REVISIONS, { namespace })).items.map(({ revision }) => revision);
  expect(numbers.sort((a, b) => a - b)).toEqual([2, 3]);
});

it('scales down from the last pod, and deletes the claims of those pods if configured', async () => {
  await createSet({
    podManagementPolicy: 'Parallel',
    persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  });
  await hasPods('db-0', 'db-1');
  await runPods('db-0', 'db-1');
  const { metadata } = await admin.get(PODS, 'db-1', { namespace });
  await patch({ replicas: 1 });
  await hasPods('db-0');
  const owners = async (name: string) =>
    (await admin.get(PERSISTENT_VOLUME_CLAIMS, name, { namespace })).metadata.ownerReferences ?? [];
  expect(await owners('data-db-0')).toEqual([]);
  expect(await owners('data-db-1')).toMatchObject([{ kind: 'Pod', uid: metadata.uid }]);
});
