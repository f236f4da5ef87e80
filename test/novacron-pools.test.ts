import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NOVACRON_VMS, type NovacronVm, VM_POOLS } from '#api/novacron/resources';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { PODS } from '#platform/kube/kinds/pod';
import { resourceType } from '#platform/kube/kinds/resource-type';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { CONTROLLER_REVISIONS } from '#platform/kube/kinds/workloads';
import { isNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { parseLabelSelector } from '#platform/kube/selectors/label-selector';
import { type Embedded, startEmbedded } from '#programs/up/embedded';

const EVENTS = resourceType<KubeObject & { readonly reason?: string; readonly message?: string }>(
  'v1',
  'Event',
  'events',
);
const RESOURCES = { cpu: 1, memory: '1Gi', disk: '1Gi' };

/** Everything in one process, on a clock that is moved by hand. */
describe('a pool of VMs', () => {
  let clock: FakeClock;
  let running: Embedded;
  let namespace = '';
  let tests = 0;
  beforeAll(async () => {
    clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
    running = await startEmbedded({
      store: 'memory',
      dialects: ['novacron'],
      pools: [{ name: 'n', prefix: 'n-', count: 9 }],
      clock,
      random: seededRandom('pools'),
      log: createMemoryLogger(clock),
      defaultImage: 'marketplace://debian-12',
    });
    await clock.advance(5000);
  });
  afterAll(() => running.stop());
  beforeEach(async () => {
    namespace = `test-${++tests}`;
    await running.admin.create(NAMESPACES, { metadata: { name: namespace } });
    await clock.advance(1000);
  });

  const pool = (name = 'web') => running.admin.get(VM_POOLS, name, { namespace });
  const status = async (name = 'web') => (await pool(name)).status;
  const vms = async (): Promise<readonly NovacronVm[]> =>
    (await running.admin.list(NOVACRON_VMS, { namespace })).items.filter((vm) => !vm.metadata.deletionTimestamp);
  const names = async () => (await vms()).map(({ metadata }) => metadata.name).sort();
  const condition = async (type: string) => (await status())?.conditions?.find((each) => each.type === type);
  const events = async (reason: string) =>
    (await running.admin.list(EVENTS, { namespace })).items.filter((event) => event.reason === reason);

  async function make(spec: object = {}, template: object = {}, name = 'web') {
    const { metadata = { labels: { app: 'web' } }, ...inside } = template as { metadata?: object };
    await running.admin.create(VM_POOLS, {
      metadata: { name, namespace },
      spec: { replicas: 3, template: { metadata, spec: { resources: RESOURCES, ...inside } }, ...spec },
    });
    await clock.advance(10_000);
  }
  async function edit(spec: object, seconds = 60, name = 'web') {
    await running.admin.patch(VM_POOLS, name, { type: 'merge', body: { spec } }, { namespace });
    for (let i = 0; i < seconds; i++) await clock.advance(1000);
  }
  const relabel = (name: string, labels: Record<string, string | null>) =>
    running.admin.patch(NOVACRON_VMS, name, { type: 'merge', body: { metadata: { labels } } }, { namespace });

  it('maintains its number of VMs and reports all of them', async () => {
    await make();
    const found = await vms();
    expect(found).toHaveLength(3);
    for (const { metadata, spec } of found) {
      expect(metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
      expect(metadata.labels).toMatchObject({ app: 'web', 'novacron.io/pool': 'web' });
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'VMPool', name: 'web', controller: true }]);
      expect(spec.template.spec.image).toEqual({ source: 'marketplace://debian-12' });
    }
    expect(await status()).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 0,
      updatedReplicas: 3,
      desiredReplicas: 3,
      selector: 'novacron.io/pool=web',
      vms: found.map(({ metadata, status: { phase, nodeName } = {} }) => ({
        name: metadata.name,
        phase,
        node: nodeName,
      })),
    });
    expect(await condition('Available')).toMatchObject({ status: 'True', reason: 'MinimumReplicasAvailable' });
    expect(await condition('Progressing')).toMatchObject({ status: 'True', reason: 'PoolUpdated' });
    expect(await condition('ScalingActive')).toMatchObject({ status: 'False', reason: 'ScalingDisabled' });
    expect(await condition('ScalingLimited')).toMatchObject({ status: 'False', reason: 'DesiredWithinRange' });
    const [lost] = await names();
    await running.admin.delete(NOVACRON_VMS, lost ?? '', { namespace });
    await clock.advance(40_000);
    expect(await names()).toHaveLength(3);
    expect(await names()).not.toContain(lost);
  });

  it('has a selector for kubectl scale and autoscalers that matches its pods', async () => {
    await make();
    const selector = parseLabelSelector((await status())?.selector ?? '');
    const { items } = await running.admin.list(PODS, { namespace });
    expect(items.filter(({ metadata }) => selector.matches(metadata.labels))).toHaveLength(3);
  });

  it('scales out and in, and deletes the disks of deleted VMs', async () => {
    await make();
    const first = await names();
    await edit({ replicas: 5 }, 20);
    expect(await names()).toHaveLength(5);
    expect((await events('SuccessfulRescale')).map(({ message }) => message)).toEqual([
      'New size: 5; reason: spec.replicas changed',
    ]);
    const cheap = first[1] ?? '';
    const annotations = { 'novacron.io/deletion-cost': '-1' };
    await running.admin.patch(
      NOVACRON_VMS,
      cheap,
      { type: 'merge', body: { metadata: { annotations } } },
      { namespace },
    );
    await edit({ replicas: 2 });
    // The cheapest VM goes first, and then the youngest.
    expect(await names()).toEqual(first.filter((name) => name !== cheap));
    const claims = (await running.admin.list(PERSISTENT_VOLUME_CLAIMS, { namespace })).items;
    expect(claims).toHaveLength(2);
    await edit({ replicas: 0 });
    expect(await names()).toEqual([]);
    expect(await status()).toMatchObject({ replicas: 0, vms: [] });
  });

  it('retains disks at scale-in if its template says so', async () => {
    await make({}, { metadata: { annotations: { 'novacron.io/retain-disks': 'true' } } });
    await edit({ replicas: 1 });
    expect((await running.admin.list(PERSISTENT_VOLUME_CLAIMS, { namespace })).items).toHaveLength(3);
  });

  it('replaces VMs one at a time, and back again', async () => {
    await make();
    const before = await names();
    const unavailable: number[] = [];
    await edit({ template: { spec: { resources: { memory: '2Gi' } } } }, 0);
    for (let i = 0; i < 120; i++) {
      await clock.advance(1000);
      unavailable.push((await status())?.unavailableReplicas ?? 0);
      expect((await vms()).length).toBeLessThanOrEqual(4);
    }
    expect(Math.max(...unavailable)).toBe(0);
    expect((await names()).filter((name) => before.includes(name))).toEqual([]);
    const { currentRevision, updateRevision } = (await status()) ?? {};
    expect(currentRevision).toBe(updateRevision);
    expect((await running.admin.list(CONTROLLER_REVISIONS, { namespace })).items).toHaveLength(2);
    for (const { spec } of await vms()) expect(spec.template.spec.resources.memory).toBe('2Gi');
  });

  it('keeps the template of the oldest VMs below the partition', async () => {
    await make({ updateStrategy: { rollingUpdate: { maxUnavailable: 1, partition: 2 } } });
    await edit({ template: { spec: { resources: { memory: '2Gi' } } } }, 90);
    const sizes = async () => (await vms()).map(({ spec }) => `${spec.template.spec.resources.memory}`).sort();
    expect(await sizes()).toEqual(['1Gi', '1Gi', '2Gi']);
    expect(await condition('Progressing')).toMatchObject({ reason: 'PartitionReached' });
    const old = (await vms()).find(({ spec }) => spec.template.spec.resources.memory === '1Gi');
    await running.admin.delete(NOVACRON_VMS, old?.metadata.name ?? '', { namespace });
    await clock.advance(60_000);
    expect(await sizes()).toEqual(['1Gi', '1Gi', '2Gi']);
  });

  it('replaces all VMs at once with Recreate', async () => {
    await make({ updateStrategy: { type: 'Recreate' } });
    const before = await names();
    await edit({ template: { spec: { resources: { memory: '2Gi' } } } }, 0);
    for (let i = 0; i < 100; i++) {
      await clock.advance(100);
      const { items } = await running.admin.list(NOVACRON_VMS, { namespace });
      expect(new Set(items.map(({ spec }) => spec.template.spec.resources.memory)).size).toBeLessThanOrEqual(1);
    }
    const after = await names();
    expect([after.length, after.filter((name) => before.includes(name))]).toEqual([3, []]);
  });

  it('does not roll out while it is paused, but scales with the former template', async () => {
    await make({ paused: true });
    await edit({ template: { spec: { resources: { memory: '2Gi' } } }, replicas: 4 });
    expect((await vms()).map(({ spec }) => spec.template.spec.resources.memory)).toEqual(['1Gi', '1Gi', '1Gi', '1Gi']);
    expect(await condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'PoolPaused' });
    await edit({ paused: false }, 120);
    expect((await status())?.updatedReplicas).toBe(4);
  });

  it('adopts VMs with its labels, and releases those that lose them', async () => {
    await make();
    const [released = ''] = await names();
    await relabel(released, { 'novacron.io/pool': null });
    await clock.advance(20_000);
    const vm = await running.admin.get(NOVACRON_VMS, released, { namespace });
    expect(vm.metadata.ownerReferences ?? []).toEqual([]);
    expect((await status())?.replicas).toBe(3);
    expect(await names()).toHaveLength(4);
    await relabel(released, { 'novacron.io/pool': 'web' });
    await clock.advance(40_000);
    expect(await names()).toHaveLength(3);
  });

  it('leaves its VMs behind if it is deleted so, and takes them over again', async () => {
    await make();
    const before = await names();
    await running.admin.delete(VM_POOLS, 'web', { namespace, propagationPolicy: 'Orphan' });
    await clock.advance(5000);
    expect(await names()).toEqual(before);
    await make();
    expect(await names()).toEqual(before);
    expect((await status())?.replicas).toBe(3);
  });

  it('is deleted with its VMs, and so is their namespace', async () => {
    await running.admin.create(NAMESPACES, { metadata: { name: 'shop' } });
    await running.admin.create(VM_POOLS, {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { replicas: 4, template: { spec: { resources: RESOURCES } } },
    });
    await clock.advance(2000);
    await running.admin.delete(NAMESPACES, 'shop');
    for (let i = 0; i < 90; i++) await clock.advance(1000);
    await expect(running.admin.get(NAMESPACES, 'shop')).rejects.toSatisfy(isNotFound);
  });

  it('writes nothing while it is idle', async () => {
    await make();
    await clock.advance(60_000);
    const { resourceVersion } = (await pool()).metadata;
    const revisions = (await vms()).map(({ metadata }) => metadata.resourceVersion);
    await clock.advance(600_000);
    expect((await pool()).metadata.resourceVersion).toBe(resourceVersion);
    expect((await vms()).map(({ metadata }) => metadata.resourceVersion)).toEqual(revisions);
  });

  it('waits for minReadySeconds', async () => {
    await make({ minReadySeconds: 30 });
    expect(await status()).toMatchObject({ readyReplicas: 3, availableReplicas: 0, unavailableReplicas: 3 });
    await clock.advance(30_000);
    expect(await status()).toMatchObject({ readyReplicas: 3, availableReplicas: 3, unavailableReplicas: 0 });
  });
});
