import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type VirtualMachine, virtualMachine } from '../src/api/hypersdk/virtual-machine.ts';
import { vmTemplate } from '../src/api/hypersdk/vm-template.ts';
import { FakeClock } from '../src/base/fake-clock.ts';
import { memoryLogger } from '../src/base/logger.ts';
import { seededRandom } from '../src/base/random.ts';
import type { ResourceType } from '../src/kube/client.ts';
import { SECRETS, SERVICES } from '../src/kube/kinds/core.ts';
import { EVENTS } from '../src/kube/kinds/event.ts';
import { resourceOfKind, VMIMS, VMIS } from '../src/kube/kinds/machines.ts';
import { NODES } from '../src/kube/kinds/node.ts';
import { PODS } from '../src/kube/kinds/pod.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '../src/kube/kinds/storage.ts';
import type { KubeObject } from '../src/kube/kube-object.ts';
import { type Embedded, type EmbeddedOptions, startEmbedded } from '../src/up/embedded.ts';

const MACHINES = resourceOfKind(virtualMachine) as unknown as ResourceType<KubeObject & VirtualMachine>;
const namespace = 'default';
const ROOT = { name: 'root', size: '20Gi' };

/** Everything in one process, on a clock that is moved by hand. */
class World {
  readonly clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
  readonly log = memoryLogger(this.clock);
  #running!: Embedded;

  async start(options: Partial<EmbeddedOptions> = {}): Promise<void> {
    this.#running = await startEmbedded({
      store: 'memory',
      dialects: ['hypersdk'],
      pools: [{ name: 'n', prefix: 'n-', count: 3 }],
      clock: this.clock,
      random: seededRandom('machines of hypersdk.io'),
      log: this.log,
      ...options,
    });
    await this.advance(5000);
  }

  stop = () => this.#running.stop();
  advance = (ms: number) => this.clock.advance(ms);

  get admin() {
    return this.#running.admin;
  }

  async make(name: string, spec: object = {}, annotations: Record<string, string> = {}): Promise<void> {
    const metadata = { name, namespace, annotations };
    await this.admin.create(MACHINES, { metadata, spec: { cpus: 2, memory: '2Gi', ...spec } });
    await this.advance(3000);
  }

  edit = async (name: string, spec: object) => {
    await this.admin.patch(MACHINES, name, { type: 'merge', body: { spec } }, { namespace });
    await this.advance(3000);
  };

  vm = (name: string) => this.admin.get(MACHINES, name, { namespace });
  phase = async (name: string) => (await this.vm(name)).status?.phase;
  condition = async (name: string, type: string) =>
    (await this.vm(name)).status?.conditions?.find((each) => each.type === type);
  names = async (type: ResourceType) =>
    (await this.admin.list(type, { namespace })).items
      .map(({ metadata }) => metadata.name ?? '')
      .toSorted((a, b) => a.localeCompare(b));
  events = async (name: string) =>
    (await this.admin.list(EVENTS, { namespace })).items
      .filter(({ involvedObject }) => involvedObject.kind === 'VirtualMachine' && involvedObject.name === name)
      .map(({ reason, message }) => `${reason}: ${message}`);

  async evict(name: string): Promise<number> {
    const { items } = await this.admin.list(PODS, { namespace, labelSelector: `vm=${name}` });
    const pod = items[0]?.metadata.name ?? '';
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace } };
    return await this.admin.act(PODS, pod, 'eviction', body, { namespace }).then(
      () => 201,
      (error: { code?: number }) => error.code ?? 0,
    );
  }
}

let world: World;
beforeEach(async ({ task }) => {
  world = new World();
  // What nodes write to be known to live is not the machines' doing.
  await world.start(task.suite?.name === COSTS ? { signsOfLife: 'assumed' } : {});
});
afterEach(() => world.stop());
const COSTS = 'what a start costs';

describe('the disks of a machine', () => {
  it('are claims of its own, kept while it is off and gone with it', async () => {
    const image = { source: 'https://images.example.org/debian.qcow2' };
    await world.make('web', { image, disks: [ROOT, { name: 'data', size: '1Gi', storageClass: 'fast-ssd' }] });
    expect(await world.phase('web')).toBe('Running');
    expect(await world.condition('web', 'DiskReady')).toMatchObject({ status: 'True' });
    const root = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    expect(root.metadata.labels).toEqual({ vm: 'web', 'hypersdk.io/vm': 'web' });
    expect(JSON.parse(root.metadata.annotations?.['vimana.io/disk-contents'] ?? '')).toEqual({ image, files: {} });
    expect(root.spec).toMatchObject({ storageClassName: 'standard', accessModes: ['ReadWriteMany'] });
    const { uid } = root.metadata;

    await world.edit('web', { running: false });
    expect(await world.phase('web')).toBe('Stopped');
    expect(await world.names(VMIS)).toEqual([]);
    expect(await world.names(PODS)).toEqual([]);
    expect(await world.names(PERSISTENT_VOLUME_CLAIMS)).toEqual(['web-data', 'web-root']);
    await world.edit('web', { running: true });
    expect(await world.phase('web')).toBe('Running');
    expect((await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace })).metadata.uid).toBe(uid);

    expect(await world.names(SERVICES)).toEqual(['kubernetes', 'web']);
    await world.admin.delete(MACHINES, 'web', { namespace });
    await world.advance(30_000);
    for (const type of [MACHINES, VMIS, PODS, PERSISTENT_VOLUME_CLAIMS]) expect(await world.names(type)).toEqual([]);
    expect(await world.names(SERVICES)).toEqual(['kubernetes']);
    expect((await world.admin.list(PERSISTENT_VOLUMES)).items).toEqual([]);
  });

  it('stay where they are to be retained, and are taken up by the next machine of that name', async () => {
    const retained = { 'hypersdk.io/retain-disks': 'true' };
    await world.make('db', { disks: [ROOT] }, retained);
    const { uid } = (await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'db-root', { namespace })).metadata;
    await world.admin.delete(MACHINES, 'db', { namespace });
    await world.advance(30_000);
    expect(await world.names(PERSISTENT_VOLUME_CLAIMS)).toEqual(['db-root']);
    await world.make('db', { disks: [ROOT] });
    expect(await world.phase('db')).toBe('Running');
    const { metadata } = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'db-root', { namespace });
    expect(metadata.uid).toBe(uid);
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'VirtualMachine', name: 'db' }]);
  });

  it('are said to be other than spec says, where they were made before it', async () => {
    await world.make('web', { disks: [{ ...ROOT, storageClass: 'fast-ssd' }] }, { 'hypersdk.io/retain-disks': 'true' });
    await world.admin.delete(MACHINES, 'web', { namespace });
    await world.advance(5000);
    await world.make('web', { disks: [{ ...ROOT, size: '10Gi' }] });
    expect(await world.condition('web', 'DiskReady')).toMatchObject({
      status: 'True',
      message: 'bound: web-root (20Gi, though spec says 10Gi; of StorageClass fast-ssd, though spec says standard)',
    });
  });

  it('are never on a claim of somebody else, unless the disk names it', async () => {
    const spec = { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } };
    await world.admin.create(PERSISTENT_VOLUME_CLAIMS, { metadata: { name: 'web-root', namespace }, spec });
    await world.make('web', { disks: [ROOT] });
    expect(await world.phase('web')).toBe('Pending');
    expect(await world.condition('web', 'DiskReady')).toMatchObject({ status: 'False', reason: 'ClaimTaken' });
    expect(await world.names(VMIS)).toEqual([]);
    await world.edit('web', { disks: [{ ...ROOT, source: { pvc: 'web-root' } }] });
    expect(await world.phase('web')).toBe('Running');
    const { metadata } = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    expect(metadata.ownerReferences).toBeUndefined();
  });

  it('wait for the claim that they are to be copies of', async () => {
    await world.make('web', { disks: [{ ...ROOT, source: { pvc: 'golden' } }] });
    expect(await world.phase('web')).toBe('Pending');
    expect(await world.condition('web', 'Ready')).toMatchObject({
      reason: 'NotFound',
      message:
        'PersistentVolumeClaim golden, which spec.disks[0].source.pvc names, is not there: the machine is started when it is',
    });
    const spec = { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } };
    await world.admin.create(PERSISTENT_VOLUME_CLAIMS, { metadata: { name: 'golden', namespace }, spec });
    await world.advance(5000);
    expect(await world.phase('web')).toBe('Running');
    const { metadata } = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    expect(metadata.annotations?.['vimana.io/disk-source']).toBe('{"claim":"golden"}');
  });

  it('grow while the machine runs, with what they are on', async () => {
    await world.make('web', { disks: [ROOT] });
    await world.edit('web', { disks: [{ ...ROOT, size: '30Gi' }] });
    const { spec, status } = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    expect([spec.resources?.requests, status?.capacity]).toEqual([{ storage: '30Gi' }, { storage: '30Gi' }]);
    const volume = await world.admin.get(PERSISTENT_VOLUMES, spec.volumeName ?? '');
    expect(volume.spec.capacity).toEqual({ storage: '30Gi' });
    expect(await world.condition('web', 'DiskReady')).toMatchObject({ status: 'True' });
    expect((await world.vm('web')).status).not.toHaveProperty('smallDisks');
    await expect(world.edit('web', { disks: [ROOT] })).rejects.toThrow('a disk cannot shrink: root has 30Gi, not 20Gi');
  });

  it('are not larger than their storage lets them be, it is said why, and spec may go back', async () => {
    await world.admin.create(STORAGE_CLASSES, { metadata: { name: 'fixed' }, provisioner: 'vimana.io/simulated' });
    const root = { ...ROOT, storageClass: 'fixed' };
    await world.make('web', { disks: [root] });
    await world.edit('web', { disks: [{ ...root, size: '30Gi' }] });
    expect(await world.phase('web')).toBe('Running');
    expect((await world.events('web')).join()).toContain('DiskNotChanged: disk root cannot be as spec says: ');
    expect(await world.condition('web', 'DiskReady')).toMatchObject({
      status: 'False',
      reason: 'DiskCannotGrow',
      message: expect.stringContaining('disk root has 20Gi and is to have 30Gi: StorageClass fixed') as string,
    });
    const { spec } = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    expect(spec.resources?.requests).toEqual({ storage: '20Gi' });
    const smaller = world.edit('web', { disks: [{ ...root, size: '10Gi' }] });
    await expect(smaller).rejects.toThrow('a disk cannot shrink: root has 20Gi, not 10Gi');
    await world.edit('web', { disks: [root] });
    expect(await world.condition('web', 'DiskReady')).toMatchObject({ status: 'True', reason: 'DisksBound' });

    await world.edit('web', { disks: [{ ...root, size: '30Gi' }] });
    await world.admin.patch(STORAGE_CLASSES, 'fixed', { type: 'merge', body: { allowVolumeExpansion: true } });
    await world.advance(5000);
    expect(await world.condition('web', 'DiskReady')).toMatchObject({ status: 'True', reason: 'DisksBound' });
    const { status } = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    expect(status?.capacity).toEqual({ storage: '30Gi' });
  });

  it('are waited for where their storage does not come, and it is said why', async () => {
    await world.make('web', { disks: [{ ...ROOT, storageClass: 'replicated' }] });
    expect(await world.phase('web')).toBe('Pending');
    expect(await world.condition('web', 'DiskReady')).toMatchObject({
      reason: 'ClaimPending',
      message: 'PersistentVolumeClaim web-root has no volume yet: there is no StorageClass replicated',
    });
    expect(await world.names(PODS)).toEqual([]);
  });
});

describe('the cloud-init of a machine', () => {
  const secret = (metadata: object) => world.admin.create(SECRETS, { metadata: { namespace, ...metadata } });

  it('is waited for where it is in a Secret that is not there', async () => {
    await world.make('web', { cloudInit: { secretRef: { name: 'first-boot' } } });
    expect(await world.phase('web')).toBe('Pending');
    expect(await world.condition('web', 'Ready')).toMatchObject({
      reason: 'NotFound',
      message:
        'Secret first-boot, which spec.cloudInit.secretRef names, is not there: the machine is started when it is',
    });
    await secret({ name: 'another' });
    await world.advance(5000);
    expect(await world.names(VMIS)).toEqual([]);
    await secret({ name: 'first-boot' });
    await world.advance(5000);
    expect(await world.phase('web')).toBe('Running');
    await world.admin.delete(SECRETS, 'first-boot', { namespace });
    await world.advance(5000);
    expect(await world.phase('web')).toBe('Running');
  });

  it('is waited for where the template names the Secret', async () => {
    const cloudInit = { secretRef: { name: 'first-boot' } };
    await world.admin.create(resourceOfKind(vmTemplate), {
      metadata: { name: 'debian', namespace },
      spec: { displayName: 'Debian', image: { source: 'team/debian:12' }, defaultSpec: { cloudInit } },
    });
    await world.make('web', { image: { templateRef: { name: 'debian' } } });
    expect(await world.condition('web', 'Ready')).toMatchObject({ reason: 'NotFound' });
    await secret({ name: 'first-boot' });
    await world.advance(5000);
    expect(await world.phase('web')).toBe('Running');
  });
});

describe('a machine that ends by itself', () => {
  const highAvailability = { enabled: true, restartDelay: '20s', maxRestarts: 2 };
  const crashing = { 'vimana.io/fail': 'crash', 'vimana.io/fail-after': '5s' };

  it('is restarted after a pause, so often and no more, and then only on request', async () => {
    await world.make('web', { highAvailability, annotations: crashing });
    expect(await world.phase('web')).toBe('Running');
    await world.advance(4000);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Pending', restartCount: 1 });
    await world.advance(20_000);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Running', restartCount: 1 });
    await world.advance(60_000);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Failed', restartCount: 2 });
    expect(await world.condition('web', 'Ready')).toMatchObject({ status: 'False', reason: 'RestartsExhausted' });
    const told = await world.events('web');
    expect(told.filter((each) => each.startsWith('Restarting: '))).toHaveLength(2);
    expect(told.filter((each) => each.startsWith('RestartsExhausted: '))).toHaveLength(1);
    await world.advance(3_600_000);
    expect(await world.phase('web')).toBe('Failed');

    await world.edit('web', { running: false });
    expect(await world.phase('web')).toBe('Stopped');
    await world.edit('web', { running: true });
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Running', restartCount: 0 });
  });

  it('stays down where it is not to be highly available, and says so', async () => {
    await world.make('web', { annotations: crashing });
    await world.advance(60_000);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Failed', restartCount: 0 });
    expect(await world.condition('web', 'Ready')).toMatchObject({ reason: 'NotRestarted' });
    expect((await world.events('web')).join()).toContain('spec.highAvailability is not enabled');
  });

  it('stays down after its guest shut it down, where only failures count', async () => {
    const annotations = { 'vimana.io/complete-after': '5s' };
    await world.make('web', { highAvailability: { ...highAvailability, restartPolicy: 'OnFailure' }, annotations });
    await world.advance(60_000);
    expect(await world.phase('web')).toBe('Stopped');
  });

  it('is started on another node, once its own is lost for certain', async () => {
    await world.make('web', { highAvailability, disks: [ROOT] });
    const { nodeName } = (await world.vm('web')).status ?? {};
    const body = { metadata: { annotations: { 'vimana.io/freeze': 'true' } } };
    await world.admin.patch(NODES, nodeName ?? '', { type: 'merge', body });
    await world.advance(30_000);
    expect((await world.vm('web')).status?.nodeName).toBe(nodeName);
    await world.advance(60_000);
    const { status } = await world.vm('web');
    expect(status).toMatchObject({ phase: 'Running', restartCount: 1 });
    expect(status?.nodeName).not.toBe(nodeName);
    expect((await world.events('web')).join()).toContain('it is started on another node at once');
  });
});

describe('a machine that is to leave its node', () => {
  const on = (evictionStrategy: string) => ({
    highAvailability: { enabled: true, evictionStrategy, restartDelay: '5s' },
    disks: [ROOT],
  });

  it('moves while it runs', async () => {
    await world.make('web', on('LiveMigrate'));
    const before = (await world.vm('web')).status;
    expect(await world.evict('web')).toBe(429);
    await world.advance(30_000);
    const { status } = await world.vm('web');
    expect(await world.names(VMIMS)).toHaveLength(1);
    expect(status).toMatchObject({ phase: 'Running', restartCount: 0, startTime: before?.startTime });
    expect(status?.nodeName).not.toBe(before?.nodeName);
    expect((await world.events('web')).join()).toContain('it moves while it runs');
  });

  it('says beforehand that it cannot, where its disks are of one node at a time', async () => {
    const once = { 'hypersdk.io/disk-access-mode': 'ReadWriteOnce' };
    await world.make('web', { ...on('LiveMigrate'), disks: [ROOT] }, once);
    expect(await world.condition('web', 'LiveMigratable')).toMatchObject({
      status: 'False',
      reason: 'DisksNotLiveMigratable',
      message: expect.stringContaining('PVC web-root is not shared') as string,
    });
    const told = (await world.events('web')).filter((each) => each.startsWith('NotLiveMigratable: '));
    expect(told).toEqual([expect.stringContaining('waits until the machine is stopped')]);
    expect(await world.evict('web')).toBe(429);
    await world.make('calm', { ...on('Shutdown'), disks: [ROOT] }, once);
    expect(await world.condition('calm', 'LiveMigratable')).toBeUndefined();
  });

  it('is shut down and started elsewhere', async () => {
    await world.make('web', on('Shutdown'));
    const before = (await world.vm('web')).status;
    const body = { spec: { unschedulable: true } };
    await world.admin.patch(NODES, before?.nodeName ?? '', { type: 'merge', body });
    expect(await world.evict('web')).toBe(429);
    await world.advance(30_000);
    const { status } = await world.vm('web');
    expect(status).toMatchObject({ phase: 'Running', restartCount: 0 });
    expect(status?.startTime).not.toBe(before?.startTime);
    expect(status?.nodeName).not.toBe(before?.nodeName);
    expect(await world.names(VMIMS)).toEqual([]);
    expect((await world.events('web')).join()).toContain('it is shut down and started elsewhere');
  });

  it('is left to the drain, and restarted as after any other end', async () => {
    await world.make('web', on('None'));
    expect(await world.evict('web')).toBe(201);
    await world.advance(60_000);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Running', restartCount: 1 });
  });
});

describe('another size', () => {
  const size = async () => {
    const { status } = await world.admin.get(VMIS, 'web.hypersdk', { namespace });
    return [status?.currentCPUTopology?.sockets, status?.memory?.guestCurrent];
  };

  it('is plugged in while the machine runs, as far as it can be, and waits for the next start else', async () => {
    await world.make('web', { disks: [ROOT] });
    const { startTime } = (await world.vm('web')).status ?? {};
    await world.edit('web', { cpus: 4, memory: '4Gi' });
    await world.advance(60_000);
    expect(await size()).toEqual([4, '4Gi']);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Running', startTime });
    expect(await world.condition('web', 'RestartRequired')).toBeUndefined();
    await world.edit('web', { cpus: 1 });
    expect((await world.condition('web', 'RestartRequired'))?.message).toContain('spec.cpus');
    expect((await size())[0]).toBe(4);
    await world.admin.delete(VMIS, 'web.hypersdk', { namespace });
    await world.advance(30_000);
    expect(await size()).toEqual([1, '4Gi']);
    expect(await world.condition('web', 'RestartRequired')).toBeUndefined();
  });
});

describe('what a machine uses', () => {
  const used = async () => (await world.vm('web')).status?.resources;
  const versions = async () => (await world.vm('web')).metadata.resourceVersion;

  it('is told with its start, and again only where it has changed, every five minutes', async () => {
    const annotations = {
      'vimana.io/cpu-profile': 'trace 0s:0.25 7m:0.25 8m:0.9 24h:0.9',
      'vimana.io/memory-profile': 'constant 0.5',
    };
    await world.make('web', { annotations });
    expect(await used()).toEqual({ cpu: { usage: '25%', requests: 2 }, memory: { usage: '1024Mi', requests: '2Gi' } });
    const first = await versions();
    await world.advance(6 * 60_000);
    expect(await versions()).toBe(first);
    await world.advance(5 * 60_000);
    expect((await used())?.cpu?.usage).toBe('90%');
    const second = await versions();
    await world.advance(60 * 60_000);
    expect(await versions()).toBe(second);
    await world.edit('web', { running: false });
    expect(await used()).toEqual({ cpu: { requests: 2 }, memory: { requests: '2Gi' } });
  });
});

describe(COSTS, () => {
  /** Every write makes one version; events have versions of their own. */
  const written = async () => Number((await world.admin.list(PODS, { namespace })).metadata.resourceVersion);
  const COUNT = 60;

  it.each([
    ['seven writes, of which one is for its Service', {}, 7],
    ['with a disk one more, and the five by which Kubernetes binds a volume', { disks: [ROOT] }, 13],
  ])('is %s', async (_what, spec, most) => {
    const before = await written();
    const make = (name: string) =>
      world.admin.create(MACHINES, {
        metadata: { name, namespace },
        spec: { cpus: 1, memory: '1Gi', ...spec },
      });
    await Promise.all(Array.from({ length: COUNT }, (_, i) => make(`m-${i}`)));
    await world.advance(4000);
    const phases = (await world.admin.list(MACHINES, { namespace })).items.map(({ status }) => status?.phase);
    expect(phases.filter((phase) => phase === 'Running')).toHaveLength(COUNT);
    // The first that set out are told of on their way.
    const writes = (await written()) - before - COUNT;
    expect(writes).toBeLessThanOrEqual(most * COUNT + 2 * 16);
  });
});
