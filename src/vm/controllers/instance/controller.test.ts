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

const harness = instanceHarness();
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
    harness.start();
    await harness.make('web');
    const pod = await harness.onlyPod();
    expect(pod.metadata.name).toMatch(/^virt-launcher-web-[a-z0-9]{5}$/);
    expect(pod.metadata.ownerReferences).toMatchObject([
      { kind: 'VirtualMachineInstance', name: 'web', controller: true },
    ]);
    await harness.cluster.until(async () => (await harness.status())?.phase === 'Scheduling');
    await harness.cluster.makeNode('n1');
    await harness.cluster.bind(pod, 'n1');
    await harness.cluster.runs('web', pod, 'n1');
    await harness.cluster.clock.advance(MINUTE);
    expect(await harness.status()).toMatchObject({ phase: 'Running', nodeName: 'n1' });
    expect(harness.cluster.told).toEqual(['Normal SuccessfulCreate']);
  });

  it('takes one write if it runs at once while many others start', async () => {
    const writes: string[] = [];
    harness.start({}, counted(writes));
    await harness.cluster.makeNode('n1');
    const seen = new Set<string>();
    const stop = new AbortController();
    // This loop acts as scheduler and node agent: it binds and runs every pod at once.
    const agent = (async () => {
      for await (const { object } of harness.admin.watch(PODS, { signal: stop.signal })) {
        const pod = object as Pod;
        const uid = pod.metadata.uid ?? '';
        if (seen.has(uid)) continue;
        seen.add(uid);
        await harness.cluster.bind(pod, 'n1');
        await harness.cluster.runs(pod.metadata.labels?.['vm'] ?? '', pod, 'n1');
      }
    })().catch(() => {});
    for (let i = 0; i < 60; i++) await harness.make(`m${i}`);
    await harness.cluster.until(async () =>
      (await harness.admin.list(VMIS)).items.every((vmi) => vmi.status?.phase === 'Running'),
    );
    await harness.cluster.clock.advance(MINUTE);
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
          if (type.plural === 'pods') await harness.cluster.clock.sleep(500);
          yield event;
        }
      },
    });
    harness.start({}, slow);
    harness.start({}, slow);
    await harness.make('web');
    for (let i = 0; i < 20; i++) {
      const body = { metadata: { labels: { touch: `${i}` } } };
      await harness.admin.patch(VMIS, 'web', { type: 'merge', body }, { namespace });
      await harness.cluster.clock.advance(10);
    }
    await harness.cluster.clock.advance(10_000);
    expect(await harness.cluster.pods()).toHaveLength(1);
  });

  it("reports the scheduler's message, and clears it when the scheduler does", async () => {
    harness.start();
    await harness.make('web');
    const pod = await harness.onlyPod();
    const message = '0/1 nodes are available: 1 Insufficient memory.';
    const stuck = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    await harness.cluster.podStatus(pod, { conditions: [stuck] });
    await harness.cluster.until(async () => (await harness.condition('PodScheduled'))?.message === message);
    expect(await harness.status()).toMatchObject({ phase: 'Scheduling' });
    await harness.cluster.podStatus(pod, { conditions: [{ type: 'PodScheduled', status: 'True' }] });
    await harness.cluster.until(async () => (await harness.condition('PodScheduled')) === undefined);
  });

  it('waits for its claim, and reports that', async () => {
    harness.start();
    await harness.make('web', {
      volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'disk' } }],
      domain: { ...domain, devices: { disks: [{ name: 'root' }] } },
    });
    await harness.cluster.until(async () => (await harness.condition('Synchronized'))?.reason === 'FailedPvcNotFound');
    expect(await harness.status()).toMatchObject({ phase: 'Pending' });
    expect(await harness.condition('Ready')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('default/disk'),
    });
    expect(await harness.cluster.pods()).toEqual([]);
    expect(harness.cluster.told).toEqual(['Warning FailedPvcNotFound']);
    await harness.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: 'disk', namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await harness.onlyPod();
    await harness.cluster.until(
      async () => (await harness.condition('Synchronized'))?.reason === 'WaitingForVolumeBinding',
    );
    const bound = { type: 'merge', body: { status: { phase: 'Bound' } } } as const;
    await harness.admin.patch(PERSISTENT_VOLUME_CLAIMS, 'disk', bound, { namespace, subresource: 'status' });
    await harness.cluster.until(async () => (await harness.condition('Synchronized')) === undefined);
    expect(harness.cluster.told).toEqual(['Warning FailedPvcNotFound', 'Normal SuccessfulCreate']);
  });

  it('reports why its pod is rejected, and gets it later', async () => {
    let full = true;
    harness.start({}, (client) => ({
      ...client,
      create: (type, ...rest) =>
        full && type.plural === 'pods'
          ? Promise.reject(new KubeError(403, 'Forbidden', 'exceeded quota: small'))
          : client.create(type, ...rest),
    }));
    await harness.make('web');
    await harness.cluster.until(async () => (await harness.condition('Synchronized'))?.reason === 'FailedCreate');
    expect(await harness.condition('Synchronized')).toMatchObject({
      message: 'failed to create virtual machine pod: exceeded quota: small',
    });
    expect(harness.cluster.told).toEqual(['Warning FailedCreate']);
    full = false;
    await harness.cluster.clock.advance(MINUTE);
    await harness.onlyPod();
    await harness.cluster.until(async () => (await harness.condition('Synchronized')) === undefined);
    expect(await harness.status()).toMatchObject({ phase: 'Scheduling' });
  });

  it('created by a user is held by a finalizer until its machine has terminated, and gets unique addresses', async () => {
    harness.start({ addresses: { pool: new AddressPool('10.9.0.0/30'), dialects: [] } });
    for (const name of ['a', 'b', 'c']) {
      await harness.admin.create(VMIS, { metadata: { name, namespace }, spec: { domain } });
      await harness.cluster.settle();
    }
    expect(await harness.cluster.pods()).toHaveLength(2);
    const { metadata } = await harness.cluster.vmi('a');
    expect(metadata.finalizers).toEqual([INSTANCE_FINALIZER]);
    const ips = await Promise.all(
      ['a', 'b'].map(async (name) => identityOf(await harness.cluster.vmi(name))['default']?.ip),
    );
    expect(new Set(ips)).toEqual(new Set(['10.9.0.1', '10.9.0.2']));
    expect((await harness.status('c'))?.conditions?.map(({ reason }) => reason)).toEqual([
      'NoAddressLeft',
      'NoAddressLeft',
    ]);
    await harness.admin.delete(VMIS, 'a', { namespace });
    await harness.cluster.clock.advance(20_000);
    expect(identityOf(await harness.cluster.vmi('c'))['default']?.ip).toBe(ips[0]);
  });

  it('fails when its pod is deleted before it has a node', async () => {
    harness.start();
    await harness.make('web');
    const pod = await harness.onlyPod();
    await harness.cluster.until(async () => (await harness.status())?.phase === 'Scheduling');
    await harness.admin.delete(PODS, pod.metadata.name ?? '', { namespace });
    await harness.cluster.until(async () => (await harness.status())?.phase === 'Failed');
    expect(await harness.status()).toMatchObject({ reason: 'PodDeleted' });
  });
});

describe('the deletion of an instance', () => {
  it('deletes the pod at once if it has no node', async () => {
    harness.start();
    await harness.make('web');
    await harness.onlyPod();
    await harness.admin.delete(VMIS, 'web', { namespace });
    await harness.cluster.until(() => harness.isGone());
    expect(await harness.cluster.pods()).toEqual([]);
  });

  it('waits for the node agent to stop the machine, and then deletes the pod', async () => {
    harness.start();
    await harness.cluster.makeNode('n1');
    const pod = await harness.running();
    await harness.admin.delete(VMIS, 'web', { namespace });
    await harness.cluster.clock.advance(20_000);
    expect(await harness.cluster.pods()).toHaveLength(1);
    expect((await harness.cluster.pods())[0]?.metadata.deletionTimestamp).toBeUndefined();
    await harness.cluster.vmiStatus('web', { phase: 'Succeeded', reason: 'Stopped' });
    await harness.cluster.settle();
    expect(await harness.isGone()).toBe(false);
    await harness.cluster.podStatus(pod, { phase: 'Succeeded' });
    await harness.cluster.until(() => harness.isGone());
    expect(await harness.cluster.pods()).toEqual([]);
  });

  it('terminates the pod if the node agent does not stop the machine in time', async () => {
    harness.start();
    await harness.cluster.makeNode('n1');
    const pod = await harness.running({ terminationGracePeriodSeconds: 10 });
    await harness.admin.delete(VMIS, 'web', { namespace });
    await harness.cluster.clock.advance(45_000);
    expect((await harness.cluster.pods())[0]?.metadata.deletionTimestamp).toBeDefined();
    await harness.admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await harness.cluster.clock.advance(MINUTE);
    expect(await harness.isGone()).toBe(true);
  });
});
