import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { type Cluster, startCluster } from '#testing/cluster';
import { runController } from '#testing/controller-deps';
import { podGc } from './controller.ts';

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
  runController(cluster, 'pod-garbage-collector', podGc({ mostFinished: 2 }));
});
afterEach(() => cluster.stop());

const namespace = 'default';
const makePod = (name: string, spec: object = {}, metadata: object = {}) =>
  admin.create(PODS, {
    metadata: { name, namespace, ...metadata },
    spec: { containers: [{ name: 'main', image: 'registry.example.com/app:1' }], ...spec },
  });
const names = async () => (await admin.list(PODS, { namespace })).items.map(({ metadata }) => metadata.name);

describe('the pod collector', () => {
  it('deletes the pods of a deleted node after a grace period', async () => {
    await admin.create(NODES, { metadata: { name: 'n' } });
    await makePod('held', { nodeName: 'n' }, { finalizers: ['example.com/held'] });
    await makePod('there', { nodeName: 'n' });
    await makePod('waiting');
    await cluster.clock.advance(120_000);
    expect(await names()).toEqual(['held', 'there', 'waiting']);
    await admin.delete(NODES, 'n');
    await cluster.clock.advance(39_000);
    expect(await names()).toEqual(['held', 'there', 'waiting']);
    await cluster.clock.advance(2_000);
    await cluster.until(async () => !(await names()).includes('there'));
    const { status } = await admin.get(PODS, 'held', { namespace });
    expect(status?.phase).toBe('Failed');
    expect(status?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.reason).toBe('DeletionByPodGC');
    expect(await names()).toContain('waiting');
  });

  it('keeps them after a restore until all nodes have reported what they run', async () => {
    await admin.create(NODES, { metadata: { name: 'other', annotations: { 'vimana.io/restore': 'the-restore' } } });
    await makePod('there', { nodeName: 'gone' });
    await cluster.clock.advance(300_000);
    expect(await names()).toEqual(['there']);
    await admin.delete(NODES, 'other');
    await cluster.clock.advance(60_000);
    await cluster.until(async () => (await names()).length === 0);
  });

  it('keeps the pods of a node that comes back in time', async () => {
    await makePod('early', { nodeName: 'n' });
    await cluster.clock.advance(30_000);
    await admin.create(NODES, { metadata: { name: 'n' } });
    await cluster.clock.advance(120_000);
    expect(await names()).toEqual(['early']);
  });

  it('keeps a limited number of finished pods, the newest', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      await makePod(name);
      await admin.patch(
        PODS,
        name,
        { type: 'merge', body: { status: { phase: 'Succeeded' } } },
        { namespace, subresource: 'status' },
      );
      await cluster.clock.advance(1000);
    }
    await cluster.until(async () => (await names()).length === 2);
    expect(await names()).toEqual(['c', 'd']);
  });

  it('deletes terminating pods that are not on any node', async () => {
    await makePod('a', { terminationGracePeriodSeconds: 600 });
    await admin.delete(PODS, 'a', { namespace });
    await cluster.until(async () => (await names()).length === 0);
  });

  it('deletes terminating pods on a node that is out of service', async () => {
    await admin.create(NODES, { metadata: { name: 'n' } });
    await makePod('a', { nodeName: 'n', terminationGracePeriodSeconds: 600 });
    await makePod('b', { nodeName: 'n' });
    await cluster.settle();
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
    await admin.patch(NODES, 'n', { type: 'merge', body: { spec: { taints } } });
    await admin.delete(PODS, 'a', { namespace });
    await cluster.until(async () => !(await names()).includes('a'));
    expect(await names()).toEqual(['b']);
  });
});
