import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INSTANCE_FINALIZER } from '../../api/instance-request.ts';
import type { Client } from '../../kube/client.ts';
import { VMIS } from '../../kube/kinds/machines.ts';
import { NODES } from '../../kube/kinds/node.ts';
import { PODS, type Pod } from '../../kube/kinds/pod.ts';
import { POD_DISRUPTION_BUDGETS } from '../../kube/kinds/policy.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../kube/kinds/storage.ts';
import { isNotFound, KubeError } from '../../kube/kube-error.ts';
import { AddressPool } from '../../machine/address-pool.ts';
import { identityOf } from '../../machine/identity.ts';
import { runnable } from '../../runtime/controller.ts';
import { type MachineCluster, startMachineCluster } from '../../testing/machine-cluster.ts';
import { instances } from './controller.ts';
import { INSTANCE_RULES } from './rules.ts';

let cluster: MachineCluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startMachineCluster(INSTANCE_RULES);
  ({ admin } = cluster);
});
afterEach(() => cluster.stop());

const namespace = 'default';
const domain = { memory: { guest: '1Gi' }, devices: {} };
/** As the controller of machines makes them: with the finalizer. */
const make = (name: string, spec: object = {}, meta: object = {}) =>
  admin.create(VMIS, {
    metadata: { name, namespace, finalizers: [INSTANCE_FINALIZER], ...meta },
    spec: { domain, ...spec },
  });
const start = (settings = {}, wrap?: (client: Client) => Client) =>
  cluster.operate((parts) => [runnable(instances(settings), parts)], wrap);
const onlyPod = () => cluster.until(async () => (await cluster.pods())[0]);
const status = async (name = 'web') => (await cluster.vmi(name)).status;
const condition = async (type: string) => (await status())?.conditions?.find((each) => each.type === type);
const isGone = (name = 'web') => cluster.vmi(name).then(() => false, isNotFound);
const running = async (spec: object = {}, node = 'n1'): Promise<Pod> => {
  await make('web', spec);
  const pod = await onlyPod();
  await cluster.bind(pod, node);
  await cluster.runs('web', pod, node);
  await cluster.settle();
  return pod;
};

const MINUTE = 60_000;

/** A client that counts what is written through it. */
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
  it('gets a pod and shows each step while few others are on their way', async () => {
    start();
    await make('web');
    const pod = await onlyPod();
    expect(pod.metadata.name).toMatch(/^virt-launcher-web-[a-z0-9]{5}$/);
    expect(pod.metadata.ownerReferences).toMatchObject([
      { kind: 'VirtualMachineInstance', name: 'web', controller: true },
    ]);
    await cluster.until(async () => (await status())?.phase === 'Scheduling');
    await cluster.makeNode('n1');
    await cluster.bind(pod, 'n1');
    await cluster.runs('web', pod, 'n1');
    await cluster.clock.advance(MINUTE);
    expect(await status()).toMatchObject({ phase: 'Running', nodeName: 'n1' });
    expect(cluster.told).toEqual(['Normal SuccessfulCreate']);
  });

  it('costs one write where it runs at once and many others do too', async () => {
    const writes: string[] = [];
    start({}, counted(writes));
    await cluster.makeNode('n1');
    const seen = new Set<string>();
    const stop = new AbortController();
    // Scheduler and agent in one: what is there is bound and runs at once.
    const agent = (async () => {
      for await (const { object } of admin.watch(PODS, { signal: stop.signal })) {
        const pod = object as Pod;
        const uid = pod.metadata.uid ?? '';
        if (seen.has(uid)) continue;
        seen.add(uid);
        await cluster.bind(pod, 'n1');
        await cluster.runs(pod.metadata.labels?.['vm'] ?? '', pod, 'n1');
      }
    })().catch(() => {});
    for (let i = 0; i < 60; i++) await make(`m${i}`);
    await cluster.until(async () => (await admin.list(VMIS)).items.every((vmi) => vmi.status?.phase === 'Running'));
    await cluster.clock.advance(MINUTE);
    stop.abort();
    await agent;
    expect(writes.filter((each) => each === 'create pods')).toHaveLength(60);
    // The first sixteen show their steps.
    expect(writes.length).toBeLessThanOrEqual(60 + 17);
  });

  it('has one pod, though caches lag behind and two operators are at work', async () => {
    const writes: string[] = [];
    const slow = (client: Client): Client => ({
      ...counted(writes)(client),
      async *watch(type, options) {
        for await (const event of client.watch(type, options)) {
          if (type.plural === 'pods') await cluster.clock.sleep(500);
          yield event;
        }
      },
    });
    start({}, slow);
    start({}, slow);
    await make('web');
    for (let i = 0; i < 20; i++) {
      const body = { metadata: { labels: { touch: `${i}` } } };
      await admin.patch(VMIS, 'web', { type: 'merge', body }, { namespace });
      await cluster.clock.advance(10);
    }
    await cluster.clock.advance(10_000);
    expect(await cluster.pods()).toHaveLength(1);
  });

  it('says what the scheduler says, and forgets it when it has a node', async () => {
    start();
    await make('web');
    const pod = await onlyPod();
    const message = '0/1 nodes are available: 1 Insufficient memory.';
    const stuck = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    await cluster.podStatus(pod, { conditions: [stuck] });
    await cluster.until(async () => (await condition('PodScheduled'))?.message === message);
    expect(await status()).toMatchObject({ phase: 'Scheduling' });
  });

  it('waits for its claim, and says so', async () => {
    start();
    await make('web', {
      volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'disk' } }],
      domain: { ...domain, devices: { disks: [{ name: 'root' }] } },
    });
    await cluster.until(async () => (await condition('Synchronized'))?.reason === 'FailedPvcNotFound');
    expect(await status()).toMatchObject({ phase: 'Pending' });
    expect(await condition('Ready')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('default/disk'),
    });
    expect(await cluster.pods()).toEqual([]);
    expect(cluster.told).toEqual(['Warning FailedPvcNotFound']);
    await admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: 'disk', namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await onlyPod();
    await cluster.until(async () => (await condition('Synchronized')) === undefined);
  });

  it('says why its pod is refused, and gets it when it is not', async () => {
    let full = true;
    start({}, (client) => ({
      ...client,
      create: (type, ...rest) =>
        full && type.plural === 'pods'
          ? Promise.reject(new KubeError(403, 'Forbidden', 'exceeded quota: small'))
          : client.create(type, ...rest),
    }));
    await make('web');
    await cluster.until(async () => (await condition('Synchronized'))?.reason === 'FailedCreate');
    expect(await condition('Synchronized')).toMatchObject({
      message: 'failed to create virtual machine pod: exceeded quota: small',
    });
    expect(cluster.told).toEqual(['Warning FailedCreate']);
    full = false;
    await cluster.clock.advance(MINUTE);
    await onlyPod();
    await cluster.until(async () => (await condition('Synchronized')) === undefined);
    expect(await status()).toMatchObject({ phase: 'Scheduling' });
  });

  it('that a user made is held until its machine has ended, and gets addresses that no other has', async () => {
    start({ addresses: { pool: new AddressPool('10.9.0.0/30'), dialects: [] } });
    for (const name of ['a', 'b', 'c']) {
      await admin.create(VMIS, { metadata: { name, namespace }, spec: { domain } });
      await cluster.settle();
    }
    expect(await cluster.pods()).toHaveLength(2);
    const { metadata } = await cluster.vmi('a');
    expect(metadata.finalizers).toEqual([INSTANCE_FINALIZER]);
    const ips = await Promise.all(['a', 'b'].map(async (name) => identityOf(await cluster.vmi(name))['default']?.ip));
    expect(new Set(ips)).toEqual(new Set(['10.9.0.1', '10.9.0.2']));
    expect((await status('c'))?.conditions?.map(({ reason }) => reason)).toEqual(['NoAddressLeft', 'NoAddressLeft']);
    await admin.delete(VMIS, 'a', { namespace });
    await cluster.clock.advance(20_000);
    expect(identityOf(await cluster.vmi('c'))['default']?.ip).toBe(ips[0]);
  });

  it('fails when its pod goes before it has a node', async () => {
    start();
    await make('web');
    const pod = await onlyPod();
    await cluster.until(async () => (await status())?.phase === 'Scheduling');
    await admin.delete(PODS, pod.metadata.name ?? '', { namespace });
    await cluster.until(async () => (await status())?.phase === 'Failed');
    expect(await status()).toMatchObject({ reason: 'PodDeleted' });
  });
});

describe('the deletion of an instance', () => {
  it('takes the pod along at once where it has no node', async () => {
    start();
    await make('web');
    await onlyPod();
    await admin.delete(VMIS, 'web', { namespace });
    await cluster.until(() => isGone());
    expect(await cluster.pods()).toEqual([]);
  });

  it('waits for the agent to stop the machine, and then removes the pod', async () => {
    start();
    await cluster.makeNode('n1');
    const pod = await running();
    await admin.delete(VMIS, 'web', { namespace });
    await cluster.clock.advance(20_000);
    expect(await cluster.pods()).toHaveLength(1);
    expect((await cluster.pods())[0]?.metadata.deletionTimestamp).toBeUndefined();
    await cluster.vmiStatus('web', { phase: 'Succeeded', reason: 'Stopped' });
    await cluster.settle();
    expect(await isGone()).toBe(false);
    await cluster.podStatus(pod, { phase: 'Succeeded' });
    await cluster.until(() => isGone());
    expect(await cluster.pods()).toEqual([]);
  });

  it('tells the pod to end where the agent does not stop the machine in time', async () => {
    start();
    await cluster.makeNode('n1');
    const pod = await running({ terminationGracePeriodSeconds: 10 });
    await admin.delete(VMIS, 'web', { namespace });
    await cluster.clock.advance(45_000);
    expect((await cluster.pods())[0]?.metadata.deletionTimestamp).toBeDefined();
    await admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await cluster.clock.advance(MINUTE);
    expect(await isGone()).toBe(true);
  });
});

describe('a pod that fails or goes', () => {
  it('is for the agent to explain; where it does not, the pod tells', async () => {
    start();
    await cluster.makeNode('n1');
    const pod = await running();
    const terminated = { reason: 'OOMKilled', exitCode: 137, message: 'out of memory' };
    await cluster.podStatus(pod, {
      phase: 'Failed',
      containerStatuses: [
        { name: 'compute', image: 'x', imageID: '', ready: false, restartCount: 0, state: { terminated } },
      ],
    });
    await cluster.clock.advance(30_000);
    expect(await status()).toMatchObject({ phase: 'Running' });
    await cluster.clock.advance(11_000);
    expect(await status()).toMatchObject({ phase: 'Failed', reason: 'OOMKilled' });
    expect(await condition('Ready')).toMatchObject({ status: 'False', message: 'out of memory' });
    expect(cluster.told).toContain('Warning OOMKilled');
  });

  it('that is deleted by force leaves the agent time to end the machine', async () => {
    start();
    await cluster.makeNode('n1');
    const pod = await running();
    await admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await cluster.clock.advance(30_000);
    expect(await status()).toMatchObject({ phase: 'Running' });
    await cluster.clock.advance(11_000);
    expect(await status()).toMatchObject({ phase: 'Failed', reason: 'PodDeleted' });
    expect(await cluster.pods()).toEqual([]);
  });

  it('before the agent said anything is not replaced while its machine may run', async () => {
    start();
    await cluster.makeNode('n1');
    await make('web');
    const pod = await onlyPod();
    await cluster.bind(pod, 'n1');
    await cluster.settle();
    await admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await cluster.clock.advance(30_000);
    expect(await cluster.pods()).toEqual([]);
    await cluster.clock.advance(11_000);
    expect(await status()).toMatchObject({ phase: 'Failed', reason: 'PodDeleted' });
  });
});

describe('a node that falls silent', () => {
  const live = async (ms: number, ...nodes: string[]) => {
    for (let passed = 0; passed < ms; passed += 10_000) {
      await cluster.clock.advance(10_000);
      for (const node of nodes) await cluster.renew(node);
      await cluster.settle();
    }
  };

  it('loses its instances 40 s after its last sign of life, and no others do', async () => {
    start();
    for (const node of ['n1', 'n2']) {
      await cluster.makeNode(node);
      await cluster.renew(node);
    }
    await running();
    await make('other');
    await cluster.until(async () => (await cluster.pods()).length === 2);
    const other = (await cluster.pods()).find(({ metadata }) => metadata.labels?.['vm'] === 'other') as Pod;
    await cluster.bind(other, 'n2');
    await cluster.runs('other', other, 'n2');
    await live(MINUTE, 'n1', 'n2');
    expect(await status()).toMatchObject({ phase: 'Running' });
    await live(30_000, 'n2');
    expect(await status()).toMatchObject({ phase: 'Running' });
    await live(20_000, 'n2');
    expect(await status()).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
    expect(await status('other')).toMatchObject({ phase: 'Running' });
    expect((await cluster.pods()).map(({ metadata }) => metadata.name)).toEqual([other.metadata.name]);
    expect(cluster.told).toContain('Warning NodeLost');
  });

  it('is not believed to be silent because a watch stands still', async () => {
    await cluster.makeNode('n1');
    await cluster.renew('n1');
    start({}, (client) => ({
      ...client,
      async *watch(type, options = {}) {
        if (type.plural === 'leases')
          await new Promise((resolve) => options.signal?.addEventListener('abort', resolve));
        else yield* client.watch(type, options);
      },
    }));
    await running();
    await live(5 * MINUTE, 'n1');
    expect(await status()).toMatchObject({ phase: 'Running' });
    await live(1.5 * MINUTE);
    expect(await status()).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
  });

  it('lets a deleted instance go', async () => {
    start();
    await cluster.makeNode('n1');
    await cluster.renew('n1');
    await cluster.settle();
    await running();
    await admin.delete(VMIS, 'web', { namespace });
    await live(MINUTE);
    expect(await isGone()).toBe(true);
    expect(await cluster.pods()).toEqual([]);
  });

  it('or that is gone without ever having had a lease, is given up after the same time', async () => {
    start();
    await cluster.makeNode('n1');
    await running();
    await cluster.clock.advance(10 * MINUTE);
    expect(await status()).toMatchObject({ phase: 'Running' });
    await admin.delete(NODES, 'n1');
    await cluster.clock.advance(30_000);
    expect(await status()).toMatchObject({ phase: 'Running' });
    await cluster.clock.advance(11_000);
    expect(await status()).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
  });

  it('is given up at once where somebody vouches that nothing runs there', async () => {
    start();
    await cluster.makeNode('n1');
    await cluster.renew('n1');
    await running();
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
    await admin.patch(NODES, 'n1', { type: 'merge', body: { spec: { taints } } });
    await cluster.until(async () => (await status())?.phase === 'Failed');
  });

  it('takes the target of a migration with it before anything may start elsewhere', async () => {
    start();
    for (const node of ['n1', 'n2']) {
      await cluster.makeNode(node);
      await cluster.renew(node);
    }
    const source = await running();
    const { name: _name, uid: _uid, resourceVersion: _version, ...meta } = source.metadata;
    const { nodeName: _node, ...spec } = source.spec;
    const target = await admin.create(PODS, {
      metadata: { ...meta, name: 'target', labels: { ...meta.labels, 'kubevirt.io/migrationJobUID': 'm' } },
      spec,
    });
    await cluster.bind(target, 'n2');
    await cluster.podStatus(target, { phase: 'Running' });
    await live(MINUTE, 'n2');
    expect(await status()).toMatchObject({ phase: 'Running' });
    expect(
      (await cluster.pods()).map(({ metadata }) => [metadata.name, metadata.deletionTimestamp !== undefined]),
    ).toEqual([['target', true]]);
    await admin.delete(PODS, 'target', { namespace, gracePeriodSeconds: 0 });
    await cluster.until(async () => (await status())?.phase === 'Failed');
  });
});

describe('the disruption budget of an instance', () => {
  const budgets = async () => (await admin.list(POD_DISRUPTION_BUDGETS, { namespace })).items;

  it('is there while an instance runs that evictions move', async () => {
    start();
    await cluster.makeNode('n1');
    await running({ evictionStrategy: 'LiveMigrate' });
    const [budget] = await cluster.until(async () => ((await budgets()).length > 0 ? await budgets() : undefined));
    expect(budget?.metadata.name).toMatch(/^kubevirt-disruption-budget-[a-z0-9]{5}$/);
    expect(budget?.spec?.minAvailable).toBe(1);
    await cluster.vmiStatus('web', { migrationState: { migrationUid: 'm', targetPod: 'target' } });
    await cluster.until(async () => (await budgets())[0]?.spec?.minAvailable === 2);
    await cluster.vmiStatus('web', { migrationState: { completed: true } });
    await cluster.until(async () => (await budgets())[0]?.spec?.minAvailable === 1);
    await cluster.vmiStatus('web', { phase: 'Succeeded' });
    await cluster.until(async () => (await budgets()).length === 0);
  });

  it('is not there for others', async () => {
    start();
    await cluster.makeNode('n1');
    await running({ evictionStrategy: 'None' });
    await cluster.clock.advance(MINUTE);
    expect(await budgets()).toEqual([]);
  });
});

describe('a node that KWOK plays', () => {
  const kwok = { annotations: { 'kwok.x-k8s.io/node': 'fake' } };

  it('has no agent: the operator says what one would', async () => {
    start();
    await cluster.makeNode('k1', kwok);
    const identity = JSON.stringify({ default: { mac: '02:00:00:00:00:01', ip: '10.244.0.9' } });
    await make('web', {}, { annotations: { 'vimana.io/identity': identity } });
    const pod = await onlyPod();
    await cluster.bind(pod, 'k1');
    await cluster.podStatus(pod, { phase: 'Running', podIP: '10.0.0.1' });
    await cluster.until(async () => (await status())?.phase === 'Running');
    expect(await status()).toMatchObject({
      nodeName: 'k1',
      activePods: { [pod.metadata.uid ?? '']: 'k1' },
      interfaces: [{ name: 'default', mac: '02:00:00:00:00:01', ipAddress: '10.244.0.9' }],
    });
    expect(await condition('Ready')).toMatchObject({ status: 'True' });
    await admin.delete(VMIS, 'web', { namespace });
    await cluster.until(async () => (await cluster.pods())[0]?.metadata.deletionTimestamp !== undefined);
    await admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await cluster.until(() => isGone());
  });

  it('is left to its agent where it names its runtime', async () => {
    start();
    await cluster.makeNode('s1', { ...kwok, labels: { 'vimana.io/runtime': 'simulated' } });
    await make('web');
    const pod = await onlyPod();
    await cluster.bind(pod, 's1');
    await cluster.podStatus(pod, { phase: 'Running' });
    await cluster.clock.advance(MINUTE);
    expect((await status())?.phase).not.toBe('Running');
  });
});
