import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseContents } from '#api/disk/contents';
import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import { type Snapshot, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { vmOperation } from '#api/hypersdk/vm-operation';
import { resourceTypeFor, VMIS, VMS } from '#api/kubevirt/resources';
import { virtualMachine as simulatedMachine } from '#api/simulation/virtual-machine';
import { type Clock, realClock } from '#platform/base/clock';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { type Embedded, type EmbeddedOptions, startEmbedded } from '#programs/up/embedded';
import { WAIT } from '#testing/wait';

const namespace = 'default';
const OPERATIONS = resourceTypeFor(vmOperation);

/**
 * All components in one process, on a clock that is advanced by hand, or on a real one if objects are stored on disk.
 */
class World {
  readonly clock: Clock;
  readonly pass: (ms: number) => Promise<void>;
  running!: Embedded;

  constructor(real = false) {
    const fake = new FakeClock({ start: Date.UTC(2030, 0, 1) });
    this.clock = real ? realClock : fake;
    // On a real clock, the test waits as long as it takes.
    this.pass = real ? (ms) => realClock.sleep(Math.min(ms, 20)) : (ms) => fake.advance(ms);
  }

  async start(options: Partial<EmbeddedOptions> = {}): Promise<void> {
    this.running = await startEmbedded({
      store: 'memory',
      port: 0,
      dialects: ['hypersdk', 'kubevirt', 'simulation'],
      pools: [{ count: 2 }],
      signsOfLife: 'assumed',
      clock: this.clock,
      random: seededRandom('snapshots'),
      log: createMemoryLogger(this.clock),
      ...options,
    });
    await this.pass(3000);
  }

  get admin() {
    return this.running.admin;
  }

  async until<T>(what: string, check: () => Promise<T | undefined | false>): Promise<T> {
    const end = this.clock.monotonic() + WAIT.timeout;
    while (this.clock.monotonic() < end) {
      const found = await check();
      if (found !== undefined && found !== false) return found;
      await this.pass(50);
    }
    throw new Error(`it did not come true that ${what}`);
  }

  async machine(name: string): Promise<void> {
    const spec = { cpus: 2, memory: '2Gi', running: true, disks: [{ name: 'root', size: '20Gi' }] };
    await this.admin.create(HYPERSDK_VMS, { metadata: { name, namespace }, spec });
    await this.untilRunning(`${name}.hypersdk`);
  }

  untilRunning = (instance: string) =>
    this.until(`${instance} runs`, async () => {
      const found = await ignoreNotFound(this.admin.get(VMIS, instance, { namespace }));
      return found?.status?.phase === 'Running';
    });

  async write(instance: string, claim: string, text: string): Promise<void> {
    const body = { metadata: { annotations: { 'vimana.io/guest-write': `/f=${text}` } } };
    await this.admin.patch(VMIS, instance, { type: 'merge', body }, { namespace });
    await this.until(`${claim} holds ${text}`, async () => (await this.text(claim)) === text);
  }

  async text(claim: string): Promise<string | undefined> {
    const found = await ignoreNotFound(this.admin.get(PERSISTENT_VOLUME_CLAIMS, claim, { namespace }));
    return parseContents(found?.metadata.annotations?.['vimana.io/disk-contents'])?.files['/f']?.text;
  }

  async snapshot(name: string, vmRef: object, spec: object = {}): Promise<Snapshot> {
    await this.admin.create(VM_SNAPSHOTS, { metadata: { name, namespace }, spec: { vmRef, ...spec } });
    return await this.until(`${name} is settled`, async () => {
      const found = await this.admin.get(VM_SNAPSHOTS, name, { namespace });
      return ['Ready', 'Failed'].includes(found.status?.phase ?? '') && found;
    });
  }

  async operate(name: string, spec: object): Promise<void> {
    await this.admin.create(OPERATIONS, { metadata: { name, namespace }, spec });
    const { status } = await this.until(`${name} is over`, async () => {
      const found = await this.admin.get(OPERATIONS, name, { namespace });
      return ['Succeeded', 'Failed'].includes(found.status?.phase ?? '') && found;
    });
    expect(status).toMatchObject({ phase: 'Succeeded' });
  }

  /** Number of writes to the store. */
  async writes(): Promise<number> {
    await this.pass(2000);
    return Number((await this.admin.list(VM_SNAPSHOTS)).metadata.resourceVersion);
  }
}

let world: World;
afterEach(() => world.running.stop());

describe('VMs and their snapshots with all components', () => {
  it('a snapshot takes at most eight writes, and can be restored', async () => {
    world = new World();
    await world.start();
    await world.machine('web');
    await world.write('web.hypersdk', 'web-root', 'before');
    const begun = await world.writes();
    const { status } = await world.snapshot('s', { name: 'web' }, { includeMemory: true });
    expect(status).toMatchObject({ phase: 'Ready', memoryBytes: 2 ** 31, size: '2Gi' });
    // The number includes events and the request itself.
    const spent = (await world.writes()) - begun;
    expect(spent).toBeLessThanOrEqual(8);
    await world.write('web.hypersdk', 'web-root', 'after');
    await world.operate('back', { vmRef: { name: 'web' }, operation: 'restore', restoreSpec: { snapshotName: 's' } });
    expect(await world.text('web-root')).toBe('before');
    await world.untilRunning('web.hypersdk');
    // A stopped VM can be captured too.
    await world.operate('off', { vmRef: { name: 'web' }, operation: 'stop' });
    const off = await world.snapshot('t', { name: 'web' });
    expect(off.status).toMatchObject({
      phase: 'Ready',
      snapshotChain: ['s'],
      sizeBytes: 0,
      vmState: { running: false },
    });
  });

  it('clones keep their contents, whatever happens to their source', async () => {
    world = new World();
    await world.start();
    await world.machine('web');
    await world.write('web.hypersdk', 'web-root', 'kept');
    await world.snapshot('s', { name: 'web' });
    await world.write('web.hypersdk', 'web-root', 'later');
    const clone = (targetName: string, more: object) =>
      world.operate(`make-${targetName}`, {
        vmRef: { name: 'web' },
        operation: 'clone',
        cloneSpec: { targetName, ...more },
      });
    await clone('linked', { linkedClone: true, startAfterClone: true });
    await clone('older', { snapshotRef: 's' });
    await world.untilRunning('linked.hypersdk');
    await world.admin.delete(VM_SNAPSHOTS, 's', { namespace });
    await world.admin.delete(HYPERSDK_VMS, 'web', { namespace });
    await world.until('the machine and its disk are gone', async () => (await world.text('web-root')) === undefined);
    expect(await world.text('linked-root')).toBe('later');
    expect(await world.text('older-root')).toBe('kept');
    await world.write('linked.hypersdk', 'linked-root', 'own');
    expect((await world.snapshot('t', { name: 'linked' })).status?.sizeBytes).toBe(3);
  });

  it('claims are left to the restore of a VM', async () => {
    world = new World();
    await world.start();
    await world.machine('web');
    await world.operate('off', { vmRef: { name: 'web' }, operation: 'stop' });
    const ask = async (request: string | null) => {
      const body = { metadata: { annotations: { 'vimana.io/restore': request } } };
      await world.admin.patch(HYPERSDK_VMS, 'web', { type: 'merge', body }, { namespace });
      await world.pass(1000);
    };
    const claim = () => ignoreNotFound(world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace }));
    const before = await claim();
    await ask('{"snapshot":"not-there-yet","uid":"1"}');
    await world.admin.delete(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    await world.until('the claim is gone', async () => (await claim()) === undefined);
    await world.pass(2000);
    expect(await claim()).toBeUndefined();
    await ask(null);
    expect((await claim())?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(await claim()).toBeDefined();
  });

  it('VMs of other groups can be captured too, and what is unsupported is reported', async () => {
    world = new World();
    await world.start();
    await world.admin.create(resourceTypeFor(simulatedMachine), {
      metadata: { name: 'load', namespace },
      spec: { resources: { cpu: '0.1', memory: '0.1' }, running: true },
    });
    await world.untilRunning('load.simulation');
    const vmRef = { name: 'load', apiGroup: 'simulation.node-classifier.io' };
    expect((await world.snapshot('disks', vmRef)).status).toMatchObject({ phase: 'Ready', sizeBytes: 0 });
    const refused = await world.snapshot('memory', vmRef, { includeMemory: true });
    expect(refused.status?.conditions?.[0]).toMatchObject({ reason: 'NotSupported' });

    await world.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: 'data', namespace },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
    });
    const spec = {
      domain: { memory: { guest: '1Gi' }, devices: { disks: [{ name: 'data', disk: {} }] } },
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    };
    await world.admin.create(VMS, {
      metadata: { name: 'db', namespace },
      spec: { runStrategy: 'Always', template: { spec } },
    });
    await world.untilRunning('db');
    await world.write('db', 'data', 'rows');
    expect((await world.snapshot('db', { name: 'db', apiGroup: 'kubevirt.io' })).status).toMatchObject({ size: '4' });
  });

  it('disks and snapshots exist after a restart of everything', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'vimana-snapshots-'));
    try {
      world = new World(true);
      await world.start({ store: 'lmdb', dataDir });
      await world.machine('web');
      await world.write('web.hypersdk', 'web-root', 'before');
      await world.snapshot('s', { name: 'web' });
      await world.write('web.hypersdk', 'web-root', 'after');
      await world.running.stop();
      await world.start({ store: 'lmdb', dataDir });
      expect(await world.text('web-root')).toBe('after');
      await world.operate('back', { vmRef: { name: 'web' }, operation: 'restore', restoreSpec: { snapshotName: 's' } });
      expect(await world.text('web-root')).toBe('before');
    } finally {
      await world.running.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
