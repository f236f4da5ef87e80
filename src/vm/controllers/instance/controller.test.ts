import { describe, expect, it } from 'vitest';
import { INSTANCE_FINALIZER } from '#api/instance-request';
import { VMIS } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { KubeError } from '#platform/kube/kube-error';
import { AddressPool } from '#vm/engine/address-pool';
import { identityOf } from '#vm/engine/identity';
import { domain, instanceHarness, namespace } from './harness.fixture.ts';

const world = instanceHarness();
const MINUTE = 60_000;

/** Wraps a client to count its writes. */
function counted(writes: string[]): (client: Client) => Client {
  return (client) => ({
    ...client,
    create: (type, ...rest) => {
      writes.push(`create ${type.plural}`);
      return client.create(type, ...rest);
    },
    update: (type, ...rest) => {
      writes.push(`update ${type.plural}`);
      return client.update(type, ...rest);
    },
    patch: (type, ...rest) => {
      writes.push(`patch ${type.plural}`);
      return client.patch(type, ...rest);
    },
  });
}

describe('an instance', () => {
  it('gets a pod and reports each step while few others are starting', async () => {
    world.start();
    await world.make('web');
    const pod = await world.onlyPod();
    expect(pod.metadata.name).toMatch(/^virt-launcher-web-[a-z0-9]{5}$/);
    expect(pod.metadata.ownerReferences).toMatchObject([
      { kind: 'VirtualMachineInstance', name: 'web', controller: true },
    ]);
    await world.cluster.until(async () => (await world.status())?.phase === 'Scheduling');
    await world.cluster.makeNode('n1');
    await world.cluster.bind(pod, 'n1');
    await world.cluster.runs('web', pod, 'n1');
    await world.cluster.clock.advance(MINUTE);
    expect(await world.status()).toMatchObject({ phase: 'Running', nodeName: 'n1' });
    expect(world.cluster.told).toEqual(['Normal SuccessfulCreate']);
  });

  it('takes one write if it runs at once while many others start', async () => {
    const writes: string[] = [];
    world.start({}, counted(writes));
    await world.cluster.makeNode('n1');
    const seen = new Set<string>();
    const stop = new AbortController();
    // This loop acts as scheduler and node agent: it binds and runs every pod at once.
    const agent = (async () => {
      for await (const { object } of world.admin.watch(PODS, { signal: stop.signal })) {
        const pod = object as Pod;
        const uid = pod.metadata.uid ?? '';
        if (seen.has(uid)) continue;
        seen.add(uid);
        await world.cluster.bind(pod, 'n1');
        await world.cluster.runs(pod.metadata.labels?.['vm'] ?? '', pod, 'n1');
      }
    })().catch(() => {});
    for (let i = 0; i < 60; i++) await world.make(`m${i}`);
    await world.cluster.until(async () =>
      (await world.admin.list(VMIS)).items.every((vmi) => vmi.status?.phase === 'Running'),
    );
    await world.cluster.clock.advance(MINUTE);
    stop.abort();
    await agent;
    expect(writes.filter((each) => each === 'create pods')).toHaveLength(60);
    // The first sixteen instances report their intermediate states.
    expect(writes.length).toBeLessThanOrEqual(60 + 17);
  });

  it('has one pod, despite stale caches and two operators', async () => {
    const writes: string[] = [];
    const slow = (client: Client): Client => ({
      ...counted(writes)(client),
      async *watch(type, options) {
        for await (const event of client.watch(type, options)) {
          if (type.plural === 'pods') await world.cluster.clock.sleep(500);
          yield event;
        }
      },
    });
    world.start({}, slow);
    world.start({}, slow);
    await world.make('web');
    for (let i = 0; i < 20; i++) {
      const body = { metadata: { labels: { touch: `${i}` } } };
      await world.admin.patch(VMIS, 'web', { type: 'merge', body }, { namespace });
      await world.cluster.clock.advance(10);
    }
    await world.cluster.clock.advance(10_000);
    expect(await world.cluster.pods()).toHaveLength(1);
  });

  it("reports the scheduler's message, and clears it when the scheduler does", async () => {
    world.start();
    await world.make('web');
    const pod = await world.onlyPod();
    const message = '0/1 nodes are available: 1 Insufficient memory.';
    const stuck = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    await world.cluster.podStatus(pod, { conditions: [stuck] });
    await world.cluster.until(async () => (await world.condition('PodScheduled'))?.message === message);
    expect(await world.status()).toMatchObject({ phase: 'Scheduling' });
    await world.cluster.podStatus(pod, { conditions: [{ type: 'PodScheduled', status: 'True' }] });
    await world.cluster.until(async () => (await world.condition('PodScheduled')) === undefined);
  });

  it('waits for its claim, and reports that', async () => {
    world.start();
    await world.make('web', {
      volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'disk' } }],
      domain: { ...domain, devices: { disks: [{ name: 'root' }] } },
    });
    await world.cluster.until(async () => (await world.condition('Synchronized'))?.reason === 'FailedPvcNotFound');
    expect(await world.status()).toMatchObject({ phase: 'Pending' });
    expect(await world.condition('Ready')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('default/disk'),
    });
    expect(await world.cluster.pods()).toEqual([]);
    expect(world.cluster.told).toEqual(['Warning FailedPvcNotFound']);
    await world.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: 'disk', namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await world.onlyPod();
    await world.cluster.until(
      async () => (await world.condition('Synchronized'))?.reason === 'WaitingForVolumeBinding',
    );
    const bound = { type: 'merge', body: { status: { phase: 'Bound' } } } as const;
    await world.admin.patch(PERSISTENT_VOLUME_CLAIMS, 'disk', bound, { namespace, subresource: 'status' });
    await world.cluster.until(async () => (await world.condition('Synchronized')) === undefined);
    expect(world.cluster.told).toEqual(['Warning FailedPvcNotFound', 'Normal SuccessfulCreate']);
  });

  it('reports why its pod is rejected, and gets it later', async () => {
    let full = true;
    world.start({}, (client) => ({
      ...client,
      create: (type, ...rest) =>
        full && type.plural === 'pods'
          ? Promise.reject(new KubeError(403, 'Forbidden', 'exceeded quota: small'))
          : client.create(type, ...rest),
    }));
    await world.make('web');
    await world.cluster.until(async () => (await world.condition('Synchronized'))?.reason === 'FailedCreate');
    expect(await world.condition('Synchronized')).toMatchObject({
      message: 'failed to create virtual machine pod: exceeded quota: small',
    });
    expect(world.cluster.told).toEqual(['Warning FailedCreate']);
    full = false;
    await world.cluster.clock.advance(MINUTE);
    await world.onlyPod();
    await world.cluster.until(async () => (await world.condition('Synchronized')) === undefined);
    expect(await world.status()).toMatchObject({ phase: 'Scheduling' });
  });

  it('created by a user is held by a finalizer until its machine has terminated, and gets unique addresses', async () => {
    world.start({ addresses: { pool: new AddressPool('10.9.0.0/30'), dialects: [] } });
    for (const name of ['a', 'b', 'c']) {
      await world.admin.create(VMIS, { metadata: { name, namespace }, spec: { domain } });
      await world.cluster.settle();
    }
    expect(await world.cluster.pods()).toHaveLength(2);
    const { metadata } = await world.cluster.vmi('a');
    expect(metadata.finalizers).toEqual([INSTANCE_FINALIZER]);
    const ips = await Promise.all(
      ['a', 'b'].map(async (name) => identityOf(await world.cluster.vmi(name))['default']?.ip),
    );
    expect(new Set(ips)).toEqual(new Set(['10.9.0.1', '10.9.0.2']));
    expect((await world.status('c'))?.conditions?.map(({ reason }) => reason)).toEqual([
      'NoAddressLeft',
      'NoAddressLeft',
    ]);
    await world.admin.delete(VMIS, 'a', { namespace });
    await world.cluster.clock.advance(20_000);
    expect(identityOf(await world.cluster.vmi('c'))['default']?.ip).toBe(ips[0]);
  });

  it('fails when its pod is deleted before it has a node', async () => {
    world.start();
    await world.make('web');
    const pod = await world.onlyPod();
    await world.cluster.until(async () => (await world.status())?.phase === 'Scheduling');
    await world.admin.delete(PODS, pod.metadata.name ?? '', { namespace });
    await world.cluster.until(async () => (await world.status())?.phase === 'Failed');
    expect(await world.status()).toMatchObject({ reason: 'PodDeleted' });
  });
});

describe('the deletion of an instance', () => {
  it('deletes the pod at once if it has no node', async () => {
    world.start();
    await world.make('web');
    await world.onlyPod();
    await world.admin.delete(VMIS, 'web', { namespace });
    await world.cluster.until(() => world.isGone());
    expect(await world.cluster.pods()).toEqual([]);
  });

  it('waits for the node agent to stop the machine, and then deletes the pod', async () => {
    world.start();
    await world.cluster.makeNode('n1');
    const pod = await world.running();
    await world.admin.delete(VMIS, 'web', { namespace });
    await world.cluster.clock.advance(20_000);
    expect(await world.cluster.pods()).toHaveLength(1);
    expect((await world.cluster.pods())[0]?.metadata.deletionTimestamp).toBeUndefined();
    await world.cluster.vmiStatus('web', { phase: 'Succeeded', reason: 'Stopped' });
    await world.cluster.settle();
    expect(await world.isGone()).toBe(false);
    await world.cluster.podStatus(pod, { phase: 'Succeeded' });
    await world.cluster.until(() => world.isGone());
    expect(await world.cluster.pods()).toEqual([]);
  });

  it('terminates the pod if the node agent does not stop the machine in time', async () => {
    world.start();
    await world.cluster.makeNode('n1');
    const pod = await world.running({ terminationGracePeriodSeconds: 10 });
    await world.admin.delete(VMIS, 'web', { namespace });
    await world.cluster.clock.advance(45_000);
    expect((await world.cluster.pods())[0]?.metadata.deletionTimestamp).toBeDefined();
    await world.admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await world.cluster.clock.advance(MINUTE);
    expect(await world.isGone()).toBe(true);
  });
});
