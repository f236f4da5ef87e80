import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DISK_CONTENTS_ANNOTATION, parseContents } from '#api/disk/contents';
import { resourceTypeFor, VMIS } from '#api/kubevirt/resources';
import { virtualMachine } from '#api/novacron/virtual-machine';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { resourceType } from '#platform/kube/kinds/resource-type';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Embedded, startEmbedded } from '#programs/up/embedded';

const MACHINES = resourceTypeFor(virtualMachine);
const EVENTS = resourceType<KubeObject & { readonly message?: string }>('v1', 'Event', 'events');
const namespace = 'default';
const RESOURCES = { cpu: 2, memory: '2Gi', disk: '4Gi' };

/** Everything in one process, on a clock that is moved by hand, and no group but this one. */
describe('VMs of novacron.io, alone', () => {
  let clock: FakeClock;
  let running: Embedded;
  beforeEach(async () => {
    clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
    running = await startEmbedded({
      store: 'memory',
      dialects: ['novacron'],
      pools: [{ name: 'n', prefix: 'n-', count: 3 }],
      clock,
      random: seededRandom('machines of novacron.io'),
      log: createMemoryLogger(clock),
    });
    await clock.advance(5000);
  });
  afterEach(() => running.stop());

  async function make(
    name: string,
    spec: object = {},
    annotations: Record<string, string> = {},
    policies: object = {},
  ) {
    const image = { source: 'marketplace://debian-12' };
    const { metadata, ...machine } = spec as { metadata?: object };
    const template = {
      ...(metadata === undefined ? {} : { metadata }),
      spec: { resources: RESOURCES, image, ...machine },
    };
    await running.admin.create(MACHINES, {
      metadata: { name, namespace, annotations },
      spec: { template, ...policies },
    });
    await clock.advance(3000);
  }
  const vm = (name = 'web') => running.admin.get(MACHINES, name, { namespace });
  const claim = (name: string) => running.admin.get(PERSISTENT_VOLUME_CLAIMS, name, { namespace });
  const claims = async () =>
    (await running.admin.list(PERSISTENT_VOLUME_CLAIMS, { namespace })).items.map(({ metadata }) => metadata.name);
  const condition = async (type: string, name = 'web') =>
    (await vm(name)).status?.conditions?.find((each) => each.type === type);
  async function edit(spec: object) {
    await running.admin.patch(MACHINES, 'web', { type: 'merge', body: { spec } }, { namespace });
    await clock.advance(3000);
  }

  it('keep their disks while they are stopped, and delete them with themselves', async () => {
    const volumes = [{ name: 'data', size: '1Gi', storageClass: 'fast-ssd', accessMode: 'ReadWriteOnce' }];
    await make('web', { volumes });
    expect((await vm()).status?.phase).toBe('Running');
    expect((await claim('web.novacron-data')).spec).toMatchObject({
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'fast-ssd',
    });
    expect(await condition('LiveMigratable')).toMatchObject({ status: 'False', reason: 'DisksNotLiveMigratable' });
    await edit({ running: false });
    await clock.advance(30_000);
    expect((await vm()).status?.phase).toBe('Stopped');
    expect(await claims()).toEqual(['web.novacron-data', 'web.novacron-root']);
    await running.admin.delete(MACHINES, 'web', { namespace });
    await clock.advance(10_000);
    expect(await claims()).toEqual([]);
  });

  it('retain their disks on request, for the next VM of their name', async () => {
    await make('web', {}, { 'novacron.io/retain-disks': 'true' });
    const { uid } = (await claim('web.novacron-root')).metadata;
    await running.admin.delete(MACHINES, 'web', { namespace });
    await clock.advance(40_000);
    expect(await claims()).toEqual(['web.novacron-root']);
    await make('web');
    expect((await claim('web.novacron-root')).metadata).toMatchObject({ uid, ownerReferences: [{ name: 'web' }] });
    expect((await vm()).status?.phase).toBe('Running');
  });

  it('wait for the claim of their image, and copy it', async () => {
    await make('web', { image: { source: 'pvc://default/golden' }, resources: { cpu: 1, memory: '1Gi' } });
    await clock.advance(1000);
    expect((await vm()).status?.phase).toBe('Pending');
    expect(await condition('Ready')).toMatchObject({
      reason: 'NotFound',
      message: 'PersistentVolumeClaim golden, referenced by spec.template.spec.image.source, not found, waiting',
    });
    const contents = { files: { '/etc/os': { bytes: 5, digest: 'd', text: 'hello' } } };
    await running.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: 'golden', namespace, annotations: { [DISK_CONTENTS_ANNOTATION]: JSON.stringify(contents) } },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '30Gi' } } },
    });
    await clock.advance(5000);
    expect((await vm()).status?.phase).toBe('Running');
    const root = await claim('web.novacron-root');
    // Nobody has said how large it is to be: as large as what it is a copy of.
    expect(root.spec.resources?.requests).toEqual({ storage: '30Gi' });
    expect(root.spec).toMatchObject({ dataSource: { name: 'golden' } });
    const { annotations } = root.metadata;
    expect(parseContents(annotations?.[DISK_CONTENTS_ANNOTATION])?.files['/etc/os']?.text).toBe('hello');
    expect(await condition('DiskReady')).toBeUndefined();
  });

  it('have disks that grow, and report if they cannot', async () => {
    await make('web');
    await edit({ template: { spec: { resources: { disk: '6Gi' } } } });
    expect((await claim('web.novacron-root')).spec.resources?.requests).toEqual({ storage: '6Gi' });
    await clock.advance(5000);
    expect(await condition('DiskReady')).toBeUndefined();
    expect(await condition('RestartRequired')).toBeUndefined();
    const mayGrow = (allowVolumeExpansion: boolean) =>
      running.admin.patch(STORAGE_CLASSES, 'standard', { type: 'merge', body: { allowVolumeExpansion } });
    await mayGrow(false);
    await edit({ template: { spec: { resources: { disk: '8Gi' } } } });
    expect(await condition('DiskReady')).toMatchObject({ status: 'False', reason: 'DiskCannotGrow' });
    expect((await vm()).status?.phase).toBe('Running');
    await mayGrow(true);
    await clock.advance(10_000);
    expect((await claim('web.novacron-root')).spec.resources?.requests).toEqual({ storage: '8Gi' });
    expect(await condition('DiskReady')).toBeUndefined();
  });

  it('report their usage at their start, and later only after a change, every five minutes', async () => {
    const annotations = {
      'vimana.io/cpu-profile': 'trace 0s:0.25 7m:0.25 8m:0.9 24h:0.9',
      'vimana.io/memory-profile': 'constant 0.5',
    };
    await make('web', { metadata: { annotations } });
    const used = async () => (await vm()).status?.resources;
    expect(await used()).toEqual({
      cpu: { used: '0.5', available: '2', percentage: 25 },
      memory: { used: '1024Mi', available: '2Gi', percentage: 50 },
      disk: { available: '4Gi' },
    });
    const { resourceVersion } = (await vm()).metadata;
    await clock.advance(6 * 60_000);
    expect((await vm()).metadata.resourceVersion).toBe(resourceVersion);
    await clock.advance(5 * 60_000);
    expect((await used())?.cpu).toEqual({ used: '1.8', available: '2', percentage: 90 });
    await edit({ running: false });
    expect((await used())?.cpu).toEqual({ available: '2' });
  });

  it('are live-migrated off a drained node if possible and allowed', async () => {
    await make('web');
    const from = (await vm()).status?.nodeName ?? '';
    await running.admin.patch(NODES, from, { type: 'merge', body: { spec: { unschedulable: true } } });
    const [pod] = (await running.admin.list(PODS, { namespace, labelSelector: 'vm=web' })).items;
    const name = pod?.metadata.name ?? '';
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    const answer = running.admin.act(PODS, name, 'eviction', body, { namespace });
    await expect(answer).rejects.toMatchObject({ code: 429 });
    const { uid } = (await running.admin.get(VMIS, 'web.novacron', { namespace })).metadata;
    await clock.advance(60_000);
    const { status } = await vm();
    expect(status).toMatchObject({ phase: 'Running', migration: { sourceNode: from, state: 'Succeeded' }, vmID: uid });
    expect(status?.nodeName).not.toBe(from);
  });

  it('are stopped by an eviction if they may not be migrated, which is reported, and start on another node', async () => {
    await make('web', {}, {}, { migrationPolicy: { allowLiveMigration: false } });
    const [pod] = (await running.admin.list(PODS, { namespace })).items;
    const name = pod?.metadata.name ?? '';
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
    await running.admin.act(PODS, name, 'eviction', body, { namespace });
    await clock.advance(90_000);
    expect((await vm()).status?.phase).toBe('Running');
    expect((await condition('LastShutdown'))?.message).toMatch(/^the launcher pod was evicted: /);
    const said = (await running.admin.list(EVENTS, { namespace })).items.map(({ message }) => message);
    expect(said).toContain('The VirtualMachineInstance was evicted.');
  });

  it('report that no node fits, also if a disk waits for the node', async () => {
    const volumes = [{ name: 'data', size: '1Gi', storageClass: 'fast-ssd' }];
    await make('web', { volumes, nodeSelector: { 'example.com/none': 'such' } });
    await clock.advance(10_000);
    expect((await vm()).status?.phase).toBe('Pending');
    expect(await condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message: expect.stringContaining("didn't match Pod's node affinity/selector") as string,
    });
    expect(await condition('DiskReady')).toMatchObject({
      reason: 'ClaimPending',
      message: 'PersistentVolumeClaim web.novacron-data will be bound when the VM is scheduled',
    });
  });

  it('do not start with unsupported fields, and report them', async () => {
    await make('web', { devices: [{ type: 'gpu' }] });
    expect((await vm()).status?.phase).toBe('Pending');
    expect(await condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'NotServed',
      message: 'spec.template.spec.devices is not supported yet: remove host devices',
    });
    await edit({ template: { spec: { devices: null } } });
    expect((await vm()).status?.phase).toBe('Running');
  });
});
