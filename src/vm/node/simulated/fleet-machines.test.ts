import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { conditionOf } from '#platform/kube/kinds/condition';
import { PODS } from '#platform/kube/kinds/pod';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '#platform/kube/kinds/rbac';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import type { Cluster } from '#testing/cluster';
import { type FleetHarness, fleetHarness, namespace } from '#testing/fleet-harness';

let harness: FleetHarness;
let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  harness = await fleetHarness();
  ({ cluster, admin } = harness);
});
afterEach(() => cluster.stop());

const condition = ({ status }: Vmi, type: string) => conditionOf(status?.conditions, type);
const NODE = 'kwok-node-1';

async function runInstance(name: string, given: Parameters<FleetHarness['makeInstance']>[1] = {}): Promise<Vmi> {
  const vmi = await harness.makeInstance(name, given);
  await harness.createLauncherPod(vmi, NODE);
  return await harness.untilPhase(name, 'Running');
}

describe('a machine on a simulated node', () => {
  it('runs after exactly two writes', async () => {
    const { fleet } = harness.start();
    await cluster.settle();
    harness.writes.length = 0;
    const vmi = await runInstance('m');
    await cluster.clock.advance(5_000);
    expect(harness.writes).toEqual(['update pods/status launcher-m', 'update virtualmachineinstances/status m']);
    expect(await fleet.simulation.driver(NODE).inspect(vmi.metadata.uid)).toMatchObject({ state: 'running' });
  });

  it('is reported with all of its state', async () => {
    harness.start();
    const { uid } = (
      await runInstance('m', { spec: { domain: { cpu: { cores: 2 }, memory: { guest: '1Gi' }, devices: {} } } })
    ).metadata;
    const pod = await harness.pod('launcher-m');
    const { status } = await harness.instance('m');
    expect(status).toMatchObject({
      phase: 'Running',
      nodeName: NODE,
      activePods: { [pod.metadata.uid ?? '']: NODE },
      interfaces: [
        {
          name: 'default',
          mac: '02:00:00:00:00:01',
          ipAddress: '10.244.0.7',
          ipAddresses: ['10.244.0.7'],
          infoSource: 'domain, guest-agent',
        },
      ],
      guestOSInfo: { id: 'simulated' },
      qosClass: 'BestEffort',
      launcherContainerImageVersion: 'registry.example.com/app:1',
      migrationMethod: 'LiveMigration',
      currentCPUTopology: { sockets: 1, cores: 2, threads: 1 },
    });
    expect(status?.phaseTransitionTimestamps?.map(({ phase }) => phase)).toEqual([
      'Pending',
      'Scheduling',
      'Scheduled',
      'Running',
    ]);
    expect(status?.conditions?.map(({ type, status: holds }) => `${type} ${holds}`)).toEqual([
      'Ready True',
      'LiveMigratable True',
      'AgentConnected True',
    ]);
    expect(pod.status).toMatchObject({ phase: 'Running', podIP: '10.244.0.7', hostIP: '10.246.0.1' });
    expect(harness.told).toEqual(['m Normal Started']);
    expect(uid).toBeDefined();
  });

  it('is Scheduled while its pod starts', async () => {
    harness.start();
    const vmi = await harness.makeInstance('m', { annotations: { 'vimana.io/start-delay': '20s' } });
    await harness.createLauncherPod(vmi, NODE);
    const scheduled = await harness.untilPhase('m', 'Scheduled');
    expect(scheduled.status?.nodeName).toBe(NODE);
    expect(condition(scheduled, 'Ready')).toMatchObject({ status: 'False', reason: 'GuestNotRunning' });
    expect((await harness.pod('launcher-m')).status).toMatchObject({
      phase: 'Pending',
      containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }],
    });
    await cluster.clock.advance(19_000);
    expect((await harness.instance('m')).status?.phase).toBe('Scheduled');
    await cluster.clock.advance(1_000);
    await harness.untilPhase('m', 'Running');
  });

  it('reports that its image cannot be pulled until it can', async () => {
    harness.start();
    const annotations = { 'vimana.io/fail': 'image-pull', 'vimana.io/fail-times': '1' };
    await harness.createLauncherPod(await harness.makeInstance('m', { annotations }), NODE);
    const trouble = async () => condition(await harness.instance('m'), 'Synchronized');
    await harness.untilPhase('m', 'Scheduled');
    expect(await trouble()).toMatchObject({ status: 'False', reason: 'ErrImagePull' });
    await cluster.clock.advance(3_000);
    expect(await trouble()).toMatchObject({ status: 'False', reason: 'ImagePullBackOff' });
    await cluster.clock.advance(10_000);
    await harness.untilPhase('m', 'Running');
    expect(await trouble()).toBeUndefined();
  });

  it('has a guest agent when its guest has booted', async () => {
    harness.start();
    const vmi = await runInstance('m', { annotations: { 'vimana.io/boot-time': '30s' } });
    expect(condition(vmi, 'AgentConnected')).toBeUndefined();
    expect(vmi.status?.interfaces?.[0]?.infoSource).toBe('domain');
    await cluster.clock.advance(30_000);
    await cluster.until(async () => condition(await harness.instance('m'), 'AgentConnected')?.status === 'True');
  });

  it('cannot migrate while one of its claims cannot be used from two nodes', async () => {
    harness.start();
    const claim = (name: string, mode: string) =>
      admin.create(PERSISTENT_VOLUME_CLAIMS, {
        metadata: { name, namespace },
        spec: { accessModes: [mode], resources: { requests: { storage: '1Gi' } } },
      });
    await claim('own', 'ReadWriteOnce');
    await claim('shared', 'ReadWriteMany');
    const withClaim = (claimName: string) => ({
      spec: {
        domain: { memory: { guest: '1Gi' }, devices: { disks: [{ name: 'root', disk: {} }] } },
        volumes: [{ name: 'root', persistentVolumeClaim: { claimName } }],
      },
    });
    const bound = await runInstance('bound', withClaim('own'));
    expect(condition(bound, 'LiveMigratable')).toMatchObject({
      status: 'False',
      reason: 'DisksNotLiveMigratable',
      message:
        'cannot migrate VMI: PVC own is not shared, live migration requires that all PVCs must be shared (using ReadWriteMany access mode)',
    });
    const free = await runInstance('free', withClaim('shared'));
    expect(condition(free, 'LiveMigratable')?.status).toBe('True');
    expect(free.status?.migrationMethod).toBe('LiveMigration');
  });
});

describe('the end of a machine', () => {
  it('follows the deletion of its instance, when the guest has shut down', async () => {
    const { fleet } = harness.start();
    const vmi = await runInstance('m', { annotations: { 'vimana.io/shutdown-duration': '12s' } });
    await hold('m');
    await admin.delete(VMIS, 'm', { namespace });
    await cluster.clock.advance(11_000);
    expect((await harness.instance('m')).status?.phase).toBe('Running');
    expect(condition(await harness.instance('m'), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'PodTerminating',
    });
    await cluster.clock.advance(1_000);
    const ended = await harness.untilPhase('m', 'Succeeded');
    expect(ended.status?.reason).toBe('Stopped');
    expect((await harness.untilPod('launcher-m', ({ status }) => status?.phase === 'Succeeded')).status).toMatchObject({
      containerStatuses: [{ state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
    });
    expect(await fleet.simulation.driver(NODE).inspect(vmi.metadata.uid)).toBeUndefined();
    expect(cluster.clock.pending).toBeLessThan(20);
  });

  it('comes at the end of the grace period if the guest ignores the shutdown', async () => {
    harness.start();
    await runInstance('m', {
      annotations: { 'vimana.io/shutdown-duration': 'never' },
      spec: { terminationGracePeriodSeconds: 60, domain: { memory: { guest: '1Gi' }, devices: {} } },
    });
    await hold('m');
    await admin.delete(VMIS, 'm', { namespace });
    await cluster.clock.advance(59_000);
    expect((await harness.instance('m')).status?.phase).toBe('Running');
    await cluster.clock.advance(1_000);
    await harness.untilPhase('m', 'Succeeded');
  });

  it('follows the deletion of its pod, which the instance reports as a failure', async () => {
    harness.start();
    await runInstance('m');
    await admin.delete(PODS, 'launcher-m', { namespace });
    const ended = await harness.untilPhase('m', 'Failed');
    expect(ended.status?.reason).toBe('PodDeleted');
    await harness.untilPodGone('launcher-m');
    expect(harness.told).toEqual(['m Normal Started', 'm Normal ShuttingDown', 'm Warning Stopped']);
  });

  it('comes at once when its pod is deleted by force', async () => {
    const { fleet } = harness.start();
    const vmi = await runInstance('m');
    await admin.delete(PODS, 'launcher-m', { namespace, gracePeriodSeconds: 0 });
    await cluster.until(async () => (await fleet.simulation.driver(NODE).inspect(vmi.metadata.uid)) === undefined);
    const ended = await harness.untilPhase('m', 'Failed');
    expect(ended.status?.reason).toBe('PodDeleted');
  });

  it('is normal if its instance is deleted and its pod by force', async () => {
    harness.start();
    await runInstance('m', { annotations: { 'vimana.io/shutdown-duration': '10s' } });
    await admin.patch(VMIS, 'm', { type: 'merge', body: { metadata: { finalizers: ['test/hold'] } } }, { namespace });
    await admin.delete(VMIS, 'm', { namespace });
    await admin.delete(PODS, 'launcher-m', { namespace, gracePeriodSeconds: 0 });
    expect((await harness.untilPhase('m', 'Succeeded')).status?.reason).toBe('Stopped');
  });

  it('comes at once when its instance is deleted, final, or on another node', async () => {
    const { fleet } = harness.start();
    const driver = fleet.simulation.driver(NODE);
    const final = { phase: 'Failed', reason: 'NodeLost' };
    const elsewhere = { nodeName: 'kwok-node-2', activePods: { another: 'kwok-node-2' } };
    for (const [name, status] of Object.entries({ final, elsewhere })) {
      const vmi = await runInstance(name);
      await admin.patch(VMIS, name, { type: 'merge', body: { status } }, { namespace, subresource: 'status' });
      await cluster.until(async () => (await driver.inspect(vmi.metadata.uid)) === undefined);
      await harness.untilPod(`launcher-${name}`, (pod) => pod.status?.phase !== 'Running');
    }
    const gone = await runInstance('gone');
    await admin.delete(VMIS, 'gone', { namespace });
    await cluster.until(async () => (await driver.inspect(gone.metadata.uid)) === undefined);
  });

  it.each([
    ['crash', 'Failed', 'GuestCrashed', 'Failed', 'Error'],
    ['oom', 'Failed', 'OutOfMemory', 'Failed', 'OOMKilled'],
  ])('by %s is reported as such', async (fail, phase, reason, podPhase, exit) => {
    harness.start();
    await runInstance('m', { annotations: { 'vimana.io/fail': fail, 'vimana.io/fail-after': '10s' } });
    await cluster.clock.advance(10_000);
    expect((await harness.untilPhase('m', phase)).status?.reason).toBe(reason);
    const pod = await harness.untilPod('launcher-m', ({ status }) => status?.phase === podPhase);
    expect(pod.status?.containerStatuses).toMatchObject([{ state: { terminated: { reason: exit } } }]);
  });

  it('by its guest alone is a success', async () => {
    harness.start();
    await runInstance('m', { annotations: { 'vimana.io/complete-after': '10s' } });
    await cluster.clock.advance(10_000);
    expect((await harness.untilPhase('m', 'Succeeded')).status?.reason).toBe('GuestShutdown');
  });

  it('before its start leaves nothing behind', async () => {
    const { fleet } = harness.start();
    const vmi = await harness.makeInstance('m', { annotations: { 'vimana.io/start-delay': '1h' } });
    await harness.createLauncherPod(vmi, NODE);
    await harness.untilPhase('m', 'Scheduled');
    await hold('m');
    await admin.delete(VMIS, 'm', { namespace });
    await harness.untilPhase('m', 'Succeeded');
    await harness.untilPod('launcher-m', ({ status }) => status?.phase === 'Succeeded');
    expect(await fleet.simulation.driver(NODE).list()).toEqual([]);
    await cluster.clock.advance(2 * 60 * 60_000);
    expect(await fleet.simulation.driver(NODE).list()).toEqual([]);
  });
});

describe('a request to a VM', () => {
  it('pauses and resumes it', async () => {
    const { fleet } = harness.start();
    const { uid } = (await runInstance('m')).metadata;
    await harness.annotate('m', { 'vimana.io/paused': 'true' });
    await cluster.until(async () => condition(await harness.instance('m'), 'Paused')?.reason === 'PausedByUser');
    expect(condition(await harness.instance('m'), 'Ready')).toMatchObject({ status: 'False', reason: 'PausedByUser' });
    expect(await fleet.simulation.driver(NODE).inspect(uid)).toMatchObject({ state: 'paused' });
    await harness.annotate('m', { 'vimana.io/paused': null });
    await cluster.until(async () => condition(await harness.instance('m'), 'Paused') === undefined);
    expect(condition(await harness.instance('m'), 'Ready')).toMatchObject({ status: 'True' });
    expect(harness.told).toEqual(['m Normal Started', 'm Normal Paused', 'm Normal Resumed']);
  });

  it('starts it paused', async () => {
    const { fleet } = harness.start();
    const { uid } = (
      await runInstance('m', { spec: { startStrategy: 'Paused', domain: { memory: { guest: '1Gi' }, devices: {} } } })
    ).metadata;
    expect(condition(await harness.instance('m'), 'Paused')?.status).toBe('True');
    expect(await fleet.simulation.driver(NODE).inspect(uid)).toMatchObject({ state: 'paused' });
    await harness.annotate('m', { 'vimana.io/paused': 'false' });
    await cluster.until(async () => (await fleet.simulation.driver(NODE).inspect(uid))?.state === 'running');
  });

  it.each([
    ['vimana.io/reset', 'reset'],
    ['vimana.io/soft-reboot', 'softReboot'],
  ] as const)('is performed once for %s, which is removed first', async (annotation, method) => {
    const { fleet } = harness.start();
    const { uid } = (await runInstance('m', { annotations: { 'vimana.io/boot-time': '30s' } })).metadata;
    await cluster.clock.advance(31_000);
    const driver = fleet.simulation.driver(NODE);
    const perform = driver[method].bind(driver);
    const requests: unknown[] = [];
    vi.spyOn(driver, method).mockImplementation(async (id) => {
      requests.push((await harness.instance('m')).metadata.annotations?.[annotation]);
      await perform(id);
    });
    expect(await driver.inspect(uid)).toMatchObject({ booted: true });
    await harness.annotate('m', { [annotation]: 'one' });
    await cluster.until(async () => (await driver.inspect(uid))?.booted === false);
    await cluster.clock.advance(30_000);
    expect(await driver.inspect(uid)).toMatchObject({ booted: true, state: 'running' });
    expect(requests).toEqual([undefined]);
  });

  it('leaves it at the size of its pod, and reports that it has to migrate', async () => {
    harness.start();
    const domain = (sockets: number) => ({
      cpu: { sockets, maxSockets: 4 },
      memory: { guest: '1Gi', maxGuest: '4Gi' },
      devices: {},
    });
    await runInstance('m', { spec: { domain: domain(1) } });
    const resize = (sockets: number) =>
      operator.patch(VMIS, 'm', { type: 'merge', body: { spec: { domain: domain(sockets) } } }, { namespace });
    const user = { name: 'operator', groups: ['system:authenticated'] };
    const rules = [{ apiGroups: ['kubevirt.io'], resources: [VMIS.plural], verbs: ['patch', 'operate'] }];
    await admin.create(CLUSTER_ROLES, { metadata: { name: 'operator' }, rules });
    await admin.create(CLUSTER_ROLE_BINDINGS, {
      metadata: { name: 'operator' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'operator' },
      subjects: [{ kind: 'User', name: user.name }],
    });
    const operator = cluster.clientFor(user);
    await resize(3);
    await cluster.until(async () => condition(await harness.instance('m'), 'HotVCPUChange') !== undefined);
    const vmi = await harness.instance('m');
    expect(condition(vmi, 'HotVCPUChange')).toMatchObject({ status: 'True', reason: 'MigrationRequired' });
    expect(condition(vmi, 'HotMemoryChange')).toBeUndefined();
    expect(vmi.status?.currentCPUTopology?.sockets).toBe(1);
    await resize(1);
    await cluster.until(async () => condition(await harness.instance('m'), 'HotVCPUChange') === undefined);
  });

  it('makes it ready by its readiness probe', async () => {
    harness.start();
    const readinessProbe = { tcpSocket: { port: 22 }, initialDelaySeconds: 15 };
    const vmi = await runInstance('m', { spec: { readinessProbe, domain: { memory: { guest: '1Gi' }, devices: {} } } });
    expect(condition(vmi, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [compute]',
    });
    await cluster.clock.advance(15_000);
    await cluster.until(async () => condition(await harness.instance('m'), 'Ready')?.status === 'True');
    await harness.annotate('m', { 'vimana.io/readiness': 'false' });
    await cluster.until(async () => condition(await harness.instance('m'), 'Ready')?.status === 'False');
    const pod = await harness.untilPod(
      'launcher-m',
      ({ status }) => conditionOf(status?.conditions, 'Ready')?.status === 'False',
    );
    expect(pod.status?.phase).toBe('Running');
  });

  it('ends it when its liveness probe fails repeatedly', async () => {
    harness.start();
    const livenessProbe = { tcpSocket: { port: 22 }, periodSeconds: 5, failureThreshold: 4 };
    await runInstance('m', { spec: { livenessProbe, domain: { memory: { guest: '1Gi' }, devices: {} } } });
    await cluster.clock.advance(60_000);
    await harness.annotate('m', { 'vimana.io/liveness': 'false' });
    await cluster.settle();
    await cluster.clock.advance(14_000);
    expect((await harness.instance('m')).status?.phase).toBe('Running');
    await cluster.clock.advance(1_000);
    expect((await harness.untilPhase('m', 'Failed')).status?.reason).toBe('LivenessProbeFailed');
  });

  it('keeps it running when its liveness probe fails for a while', async () => {
    harness.start();
    const livenessProbe = { tcpSocket: { port: 22 } };
    await runInstance('m', { spec: { livenessProbe, domain: { memory: { guest: '1Gi' }, devices: {} } } });
    await harness.annotate('m', { 'vimana.io/liveness': 'false' });
    await cluster.settle();
    await cluster.clock.advance(10_000);
    await harness.annotate('m', { 'vimana.io/liveness': 'true' });
    await cluster.settle();
    await cluster.clock.advance(60_000);
    expect((await harness.instance('m')).status?.phase).toBe('Running');
  });
});

/** Keeps a deleted instance from being removed, as its own controller does. */
async function hold(name: string): Promise<void> {
  const body = { metadata: { finalizers: ['example.com/held'] } };
  await admin.patch(VMIS, name, { type: 'merge', body }, { namespace });
}
