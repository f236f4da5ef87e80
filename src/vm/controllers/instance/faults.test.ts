import { describe, expect, it } from 'vitest';
import { VMIS } from '#api/kubevirt/resources';
import { LEASES, NODES } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { NODE_LEASE_NAMESPACE, NODE_LOST_ANNOTATION } from '#platform/kube/node-lease';
import { NODE_RESTORE_ANNOTATION, RESTORE_LISTING_ANNOTATION } from '#platform/kube/node-restore';
import { instanceHarness, namespace } from './harness.fixture.ts';

const harness = instanceHarness();
const MINUTE = 60_000;

describe('a pod that fails or is deleted', () => {
  it('is explained by the node agent, or else by the pod itself', async () => {
    harness.start();
    await harness.cluster.makeNode('n1');
    const pod = await harness.running();
    const terminated = { reason: 'OOMKilled', exitCode: 137, message: 'out of memory' };
    await harness.cluster.podStatus(pod, {
      phase: 'Failed',
      containerStatuses: [
        { name: 'compute', image: 'x', imageID: '', ready: false, restartCount: 0, state: { terminated } },
      ],
    });
    await harness.cluster.clock.advance(30_000);
    expect(await harness.status()).toMatchObject({ phase: 'Running' });
    await harness.cluster.clock.advance(11_000);
    expect(await harness.status()).toMatchObject({ phase: 'Failed', reason: 'OOMKilled' });
    expect(await harness.condition('Ready')).toMatchObject({ status: 'False', message: 'out of memory' });
    expect(harness.cluster.told).toContain('Warning OOMKilled');
  });

  it('that is force-deleted gives the node agent time to stop the machine', async () => {
    harness.start();
    await harness.cluster.makeNode('n1');
    const pod = await harness.running();
    await harness.admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await harness.cluster.clock.advance(30_000);
    expect(await harness.status()).toMatchObject({ phase: 'Running' });
    await harness.cluster.clock.advance(11_000);
    expect(await harness.status()).toMatchObject({ phase: 'Failed', reason: 'PodDeleted' });
    expect(await harness.cluster.pods()).toEqual([]);
  });

  it('is not replaced while its machine may run, if the node agent has reported nothing yet', async () => {
    harness.start();
    await harness.cluster.makeNode('n1');
    await harness.make('web');
    const pod = await harness.onlyPod();
    await harness.cluster.bind(pod, 'n1');
    await harness.cluster.settle();
    await harness.admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await harness.cluster.clock.advance(30_000);
    expect(await harness.cluster.pods()).toEqual([]);
    await harness.cluster.clock.advance(11_000);
    expect(await harness.status()).toMatchObject({ phase: 'Failed', reason: 'PodDeleted' });
  });
});

describe('a node without heartbeats', () => {
  const live = async (ms: number, ...nodes: string[]) => {
    for (let passed = 0; passed < ms; passed += 10_000) {
      await harness.cluster.clock.advance(10_000);
      for (const node of nodes) await harness.cluster.renew(node);
      await harness.cluster.settle();
    }
  };

  it('loses its instances 40 s after its last heartbeat, and no others do', async () => {
    harness.start();
    for (const node of ['n1', 'n2']) {
      await harness.cluster.makeNode(node);
      await harness.cluster.renew(node);
    }
    await harness.running();
    await harness.make('other');
    await harness.cluster.until(async () => (await harness.cluster.pods()).length === 2);
    const other = (await harness.cluster.pods()).find(({ metadata }) => metadata.labels?.['vm'] === 'other') as Pod;
    await harness.cluster.bind(other, 'n2');
    await harness.cluster.runs('other', other, 'n2');
    await live(MINUTE, 'n1', 'n2');
    expect(await harness.status()).toMatchObject({ phase: 'Running' });
    await live(30_000, 'n2');
    expect(await harness.status()).toMatchObject({ phase: 'Running' });
    await live(20_000, 'n2');
    expect(await harness.status()).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
    expect(await harness.status('other')).toMatchObject({ phase: 'Running' });
    expect((await harness.cluster.pods()).map(({ metadata }) => metadata.name)).toEqual([other.metadata.name]);
    expect(harness.cluster.told).toContain('Warning NodeLost');
  });

  it('is not declared lost because a watch is stalled', async () => {
    await harness.cluster.makeNode('n1');
    await harness.cluster.renew('n1');
    harness.start({}, (client) => ({
      ...client,
      async *watch(type, options = {}) {
        if (type.plural === 'leases')
          await new Promise((resolve) => options.signal?.addEventListener('abort', resolve));
        else yield* client.watch(type, options);
      },
    }));
    await harness.running();
    await live(5 * MINUTE, 'n1');
    expect(await harness.status()).toMatchObject({ phase: 'Running' });
    await live(1.5 * MINUTE);
    expect(await harness.status()).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
  });

  it('does not force-delete a pod that was changed since it was read', async () => {
    await harness.cluster.makeNode('n1');
    await harness.cluster.renew('n1');
    const attempts: string[] = [];
    harness.start({}, (client) => ({
      ...client,
      async delete(type, name, options) {
        if (type.kind !== 'Pod' || options?.gracePeriodSeconds !== 0) return await client.delete(type, name, options);
        if (attempts.length === 0) {
          const body = { metadata: { annotations: { 'example.com/seen': 'no' } } };
          await harness.admin.patch(PODS, name, { type: 'merge', body }, { namespace });
        }
        return await client.delete(type, name, options).then(
          (left) => (attempts.push('gone'), left),
          (error: unknown) => {
            attempts.push((error as { reason?: string }).reason ?? '');
            throw error;
          },
        );
      },
    }));
    await harness.running();
    await live(2 * MINUTE);
    expect(attempts).toEqual(['Conflict', 'gone']);
    expect(await harness.status()).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
  });

  it('is declared lost after a restore only when all nodes have reported their machines', async () => {
    for (const node of ['n1', 'n2']) {
      await harness.cluster.makeNode(node);
      await harness.cluster.renew(node);
    }
    const annotate = (annotations: Record<string, string>) =>
      harness.admin.patch(NODES, 'n2', { type: 'merge', body: { metadata: { annotations } } });
    await annotate({ [NODE_RESTORE_ANNOTATION]: 'the-restore' });
    harness.start();
    const pod = await harness.running();
    await live(5 * MINUTE, 'n2');
    expect(await harness.status()).toMatchObject({ phase: 'Running' });
    const { metadata } = await harness.admin.get(LEASES, 'n1', { namespace: NODE_LEASE_NAMESPACE });
    expect(metadata.annotations?.[NODE_LOST_ANNOTATION]).toBeUndefined();
    // The machine of a pod that was deleted without its node agent is not given up either.
    await harness.admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await live(5 * MINUTE, 'n2');
    expect(await harness.status()).toMatchObject({ phase: 'Running' });

    await annotate({ [RESTORE_LISTING_ANNOTATION]: JSON.stringify({ restore: 'the-restore', machines: [] }) });
    await harness.cluster.until(async () => (await harness.status())?.phase === 'Failed');
    expect(await harness.status()).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
  });

  it('lets a deleted instance be removed', async () => {
    harness.start();
    await harness.cluster.makeNode('n1');
    await harness.cluster.renew('n1');
    await harness.cluster.settle();
    await harness.running();
    await harness.admin.delete(VMIS, 'web', { namespace });
    await live(MINUTE);
    expect(await harness.isGone()).toBe(true);
    expect(await harness.cluster.pods()).toEqual([]);
  });

  it('or that was deleted without ever having a lease, is declared lost after the same time', async () => {
    harness.start();
    await harness.cluster.makeNode('n1');
    await harness.running();
    await harness.cluster.clock.advance(10 * MINUTE);
    expect(await harness.status()).toMatchObject({ phase: 'Running' });
    await harness.admin.delete(NODES, 'n1');
    await harness.cluster.clock.advance(30_000);
    expect(await harness.status()).toMatchObject({ phase: 'Running' });
    await harness.cluster.clock.advance(11_000);
    expect(await harness.status()).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
  });

  it('is declared lost at once if an administrator confirms that nothing runs there', async () => {
    harness.start();
    await harness.cluster.makeNode('n1');
    await harness.cluster.renew('n1');
    await harness.running();
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
    await harness.admin.patch(NODES, 'n1', { type: 'merge', body: { spec: { taints } } });
    await harness.cluster.until(async () => (await harness.status())?.phase === 'Failed');
  });

  it('takes the target of a migration with it before anything may start elsewhere', async () => {
    harness.start();
    for (const node of ['n1', 'n2']) {
      await harness.cluster.makeNode(node);
      await harness.cluster.renew(node);
    }
    const source = await harness.running();
    const { name: _name, uid: _uid, resourceVersion: _version, ...meta } = source.metadata;
    const { nodeName: _node, ...spec } = source.spec;
    const target = await harness.admin.create(PODS, {
      metadata: { ...meta, name: 'target', labels: { ...meta.labels, 'kubevirt.io/migrationJobUID': 'm' } },
      spec,
    });
    await harness.cluster.bind(target, 'n2');
    await harness.cluster.podStatus(target, { phase: 'Running' });
    await live(MINUTE, 'n2');
    expect(await harness.status()).toMatchObject({ phase: 'Running' });
    expect(
      (await harness.cluster.pods()).map(({ metadata }) => [metadata.name, metadata.deletionTimestamp !== undefined]),
    ).toEqual([['target', true]]);
    await harness.admin.delete(PODS, 'target', { namespace, gracePeriodSeconds: 0 });
    await harness.cluster.until(async () => (await harness.status())?.phase === 'Failed');
  });
});
