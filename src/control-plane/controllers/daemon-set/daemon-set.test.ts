import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { CONTROLLER_REVISIONS, DAEMON_SETS } from '#platform/kube/kinds/workloads';
import { type Cluster, startCluster } from '#testing/cluster';
import { runController } from '#testing/controller-deps';
import { daemonSetController } from './controller.ts';
import { targetNode } from './daemon-pod.ts';

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
  runController(cluster, 'daemon-set-controller', daemonSetController());
  for (const name of ['a', 'b']) await createNode(name);
  await admin.create(DAEMON_SETS, {
    metadata: { name: 'log', namespace },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: image('1') } },
  });
});
afterEach(() => cluster.stop());

const namespace = 'default';
const labels = { app: 'log' };
const image = (tag: string) => ({ containers: [{ name: 'main', image: `registry.example.com/log:${tag}` }] });
/** Creates a node without the taint of new nodes, which daemons do not tolerate. */
const createNode = async (name: string) => {
  await admin.create(NODES, { metadata: { name, labels: { zone: name } } });
  await admin.patch(NODES, name, { type: 'merge', body: { spec: { taints: null } } });
};
const pods = async () => (await admin.list(PODS, { namespace })).items;
const targets = async () =>
  (await pods())
    .map((pod) => targetNode(pod) ?? '')
    .sort()
    .join();
const status = async () => (await admin.get(DAEMON_SETS, 'log', { namespace })).status;
const patch = (spec: object) => admin.patch(DAEMON_SETS, 'log', { type: 'merge', body: { spec } }, { namespace });

it('runs a pod on every node that it selects, and on nodes that are added later', async () => {
  await cluster.until(async () => (await targets()) === 'a,b');
  await createNode('c');
  await cluster.until(async () => (await targets()) === 'a,b,c');
  await cluster.until(async () => (await status())?.desiredNumberScheduled === 3);
  await patch({ template: { spec: { nodeSelector: { zone: 'b' } } } });
  await cluster.until(async () => (await targets()) === 'b');
  await cluster.until(async () => (await status())?.desiredNumberScheduled === 1);
  expect(await status()).toMatchObject({ observedGeneration: 2, currentNumberScheduled: 1, numberReady: 0 });
});

it('replaces the pods of an older template, and keeps its revisions', async () => {
  await cluster.until(async () => (await targets()) === 'a,b');
  await patch({ template: { spec: image('2') } });
  await cluster.until(async () =>
    (await pods()).every(({ spec }) => spec.containers[0]?.image === 'registry.example.com/log:2'),
  );
  const revisions = (await admin.list(CONTROLLER_REVISIONS, { namespace })).items;
  expect(revisions.map(({ revision }) => revision).sort((a, b) => a - b)).toEqual([1, 2]);
  const [pod] = await pods();
  const newest = revisions.find(({ revision }) => revision === 2);
  expect(pod?.metadata.labels?.['controller-revision-hash']).toBe(
    newest?.metadata.labels?.['controller-revision-hash'],
  );
});
