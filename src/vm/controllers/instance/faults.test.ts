import { describe, expect, it } from 'vitest';
import { VMIS } from '#api/kubevirt/resources';
import { LEASES, NODES } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { NODE_LEASE_NAMESPACE, NODE_LOST_ANNOTATION } from '#platform/kube/node-lease';
import { NODE_RESTORE_ANNOTATION, RESTORE_LISTING_ANNOTATION } from '#platform/kube/node-restore';
import { instanceHarness, namespace } from './harness.fixture.ts';

const world = instanceHarness();
const MINUTE = 60_000;

describe('a pod that fails or is deleted', () => {
  it('is explained by the node agent, or else by the pod itself', async () => {
    world.start();
    await world.cluster.makeNode('n1');
    const pod = await world.running();
    const terminated = { reason: 'OOMKilled', exitCode: 137, message: 'out of memory' };
    await world.cluster.podStatus(pod, {
      phase: 'Failed',
      containerStatuses: [
        { name: 'compute', image: 'x', imageID: '', ready: false, restartCount: 0, state: { terminated } },
      ],
    });
    await world.cluster.clock.advance(30_000);
    expect(await world.status()).toMatchObject({ phase: 'Running' });
    await world.cluster.clock.advance(11_000);
    expect(await world.status()).toMatchObject({ phase: 'Failed', reason: 'OOMKilled' });
    expect(await world.condition('Ready')).toMatchObject({ status: 'False', message: 'out of memory' });
    expect(world.cluster.told).toContain('Warning OOMKilled');
  });

  it('that is force-deleted gives the node agent time to stop the machine', async () => {
    world.start();
    await world.cluster.makeNode('n1');
    const pod = await world.running();
    await world.admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await world.cluster.clock.advance(30_000);
    expect(await world.status()).toMatchObject({ phase: 'Running' });
    await world.cluster.clock.advance(11_000);
    expect(await world.status()).toMatchObject({ phase: 'Failed', reason: 'PodDeleted' });
    expect(await world.cluster.pods()).toEqual([]);
  });

  it('is not replaced while its machine may run, if the node agent has reported nothing yet', async () => {
    world.start();
    await world.cluster.makeNode('n1');
    await world.make('web');
    const pod = await world.onlyPod();
    await world.cluster.bind(pod, 'n1');
    await world.cluster.settle();
    await world.admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await world.cluster.clock.advance(30_000);
    expect(await world.cluster.pods()).toEqual([]);
    await world.cluster.clock.advance(11_000);
    expect(await world.status()).toMatchObject({ phase: 'Failed', reason: 'PodDeleted' });
  });
});

describe('a node without heartbeats', () => {
  const live = async (ms: number, ...nodes: string[]) => {
    for (let passed = 0; passed < ms; passed += 10_000) {
      await world.cluster.clock.advance(10_000);
      for (const node of nodes) await world.cluster.renew(node);
      await world.cluster.settle();
    }
  };

  it('loses its instances 40 s after its last heartbeat, and no others do', async () => {
    world.start();
    for (const node of ['n1', 'n2']) {
      await world.cluster.makeNode(node);
      await world.cluster.renew(node);
    }
    await world.running();
    await world.make('other');
    await world.cluster.until(async () => (await world.cluster.pods()).length === 2);
    const other = (await world.cluster.pods()).find(({ metadata }) => metadata.labels?.['vm'] === 'other') as Pod;
    await world.cluster.bind(other, 'n2');
    await world.cluster.runs('other', other, 'n2');
    await live(MINUTE, 'n1', 'n2');
    expect(await world.status()).toMatchObject({ phase: 'Running' });
    await live(30_000, 'n2');
    expect(await world.status()).toMatchObject({ phase: 'Running' });
    await live(20_000, 'n2');
    expect(await world.status()).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
    expect(await world.status('other')).toMatchObject({ phase: 'Running' });
    expect((await world.cluster.pods()).map(({ metadata }) => metadata.name)).toEqual([other.metadata.name]);
    expect(world.cluster.told).toContain('Warning NodeLost');
  });

  it('is not declared lost because a watch is stalled', async () => {
    await world.cluster.makeNode('n1');
    await world.cluster.renew('n1');
    world.start({}, (client) => ({
      ...client,
      async *watch(type, options = {}) {
        if (type.plural === 'leases')
          await new Promise((resolve) => options.signal?.addEventListener('abort', resolve));
        else yield* client.watch(type, options);
      },
    }));
    await world.running();
    await live(5 * MINUTE, 'n1');
    expect(await world.status()).toMatchObject({ phase: 'Running' });
    await live(1.5 * MINUTE);
    expect(await world.status()).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
  });

  it('does not force-delete a pod that was changed since it was read', async () => {
    await world.cluster.makeNode('n1');
    await world.cluster.renew('n1');
    const attempts: string[] = [];
    world.start({}, (client) => ({
      ...client,
      async delete(type, name, options) {
        if (type.kind !== 'Pod' || options?.gracePeriodSeconds !== 0) return await client.delete(type, name, options);
        if (attempts.length === 0) {
          const body = { metadata: { annotations: { 'example.com/seen': 'no' } } };
          await world.admin.patch(PODS, name, { type: 'merge', body }, { namespace });
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
    await world.running();
    await live(2 * MINUTE);
    expect(attempts).toEqual(['Conflict', 'gone']);
    expect(await world.status()).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
  });

  it('is declared lost after a restore only when all nodes have reported their machines', async () => {
    for (const node of ['n1', 'n2']) {
      await world.cluster.makeNode(node);
      await world.cluster.renew(node);
    }
    const annotate = (annotations: Record<string, string>) =>
      world.admin.patch(NODES, 'n2', { type: 'merge', body: { metadata: { annotations } } });
    await annotate({ [NODE_RESTORE_ANNOTATION]: 'the-restore' });
    world.start();
    const pod = await world.running();
    await live(5 * MINUTE, 'n2');
    expect(await world.status()).toMatchObject({ phase: 'Running' });
    const { metadata } = await world.admin.get(LEASES, 'n1', { namespace: NODE_LEASE_NAMESPACE });
    expect(metadata.annotations?.[NODE_LOST_ANNOTATION]).toBeUndefined();
    // The machine of a pod that was deleted without its node agent is not given up either.
    await world.admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await live(5 * MINUTE, 'n2');
    expect(await world.status()).toMatchObject({ phase: 'Running' });

    await annotate({ [RESTORE_LISTING_ANNOTATION]: JSON.stringify({ restore: 'the-restore', machines: [] }) });
    await world.cluster.until(async () => (await world.status())?.phase === 'Failed');
    expect(await world.status()).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
  });

  it('lets a deleted instance be removed', async () => {
    world.start();
    await world.cluster.makeNode('n1');
    await world.cluster.renew('n1');
    await world.cluster.settle();
    await world.running();
    await world.admin.delete(VMIS, 'web', { namespace });
    await live(MINUTE);
    expect(await world.isGone()).toBe(true);
    expect(await world.cluster.pods()).toEqual([]);
  });

  it('or that was deleted without ever having a lease, is declared lost after the same time', async () => {
    world.start();
    await world.cluster.makeNode('n1');
    await world.running();
    await world.cluster.clock.advance(10 * MINUTE);
    expect(await world.status()).toMatchObject({ phase: 'Running' });
    await world.admin.delete(NODES, 'n1');
    await world.cluster.clock.advance(30_000);
    expect(await world.status()).toMatchObject({ phase: 'Running' });
    await world.cluster.clock.advance(11_000);
    expect(await world.status()).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
  });

  it('is declared lost at once if an administrator confirms that nothing runs there', async () => {
    world.start();
    await world.cluster.makeNode('n1');
    await world.cluster.renew('n1');
    await world.running();
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
    await world.admin.patch(NODES, 'n1', { type: 'merge', body: { spec: { taints } } });
    await world.cluster.until(async () => (await world.status())?.phase === 'Failed');
  });

  it('takes the target of a migration with it before anything may start elsewhere', async () => {
    world.start();
    for (const node of ['n1', 'n2']) {
      await world.cluster.makeNode(node);
      await world.cluster.renew(node);
    }
    const source = await world.running();
    const { name: _name, uid: _uid, resourceVersion: _version, ...meta } = source.metadata;
    const { nodeName: _node, ...spec } = source.spec;
    const target = await world.admin.create(PODS, {
      metadata: { ...meta, name: 'target', labels: { ...meta.labels, 'kubevirt.io/migrationJobUID': 'm' } },
      spec,
    });
    await world.cluster.bind(target, 'n2');
    await world.cluster.podStatus(target, { phase: 'Running' });
    await live(MINUTE, 'n2');
    expect(await world.status()).toMatchObject({ phase: 'Running' });
    expect(
      (await world.cluster.pods()).map(({ metadata }) => [metadata.name, metadata.deletionTimestamp !== undefined]),
    ).toEqual([['target', true]]);
    await world.admin.delete(PODS, 'target', { namespace, gracePeriodSeconds: 0 });
    await world.cluster.until(async () => (await world.status())?.phase === 'Failed');
  });
});
