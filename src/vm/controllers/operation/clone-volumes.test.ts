import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMS } from '#api/kubevirt/resources';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';

const provisioner = 'csi.example.com';

describe('a clone of a VM with a disk on real storage', () => {
  let harness: OperationHarness;
  beforeEach(async () => {
    harness = await startOperationHarness();
    const classes = { now: 'Immediate', late: 'WaitForFirstConsumer' };
    for (const [name, volumeBindingMode] of Object.entries(classes))
      await harness.admin.create(STORAGE_CLASSES, { metadata: { name }, provisioner, volumeBindingMode });
  });
  afterEach(() => harness.stop());

  const claim = (name: string) => ignoreNotFound(harness.admin.get(PERSISTENT_VOLUME_CLAIMS, name, { namespace }));

  async function vm(storageClassName: string): Promise<void> {
    await harness.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: 'disk-web', namespace },
      spec: { accessModes: ['ReadWriteMany'], storageClassName, resources: { requests: { storage: '1G' } } },
    });
    const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'disk-web' } }];
    const domain = { memory: { guest: '1Gi' }, devices: { disks: [{ name: 'root', disk: {} }] } };
    await harness.admin.create(VMS, {
      metadata: { name: 'web', namespace },
      spec: { runStrategy: 'Halted', template: { spec: { domain, volumes } } },
    });
    await harness.clock.advance(1000);
  }

  /** Provisions a volume for a claim, with a size that such storage rounds up to. */
  async function provision(name: string): Promise<void> {
    const found = await claim(name);
    const claimRef = { namespace, name, uid: found?.metadata.uid ?? '' };
    const volume = `volume-${name}`;
    await harness.admin.create(PERSISTENT_VOLUMES, {
      metadata: { name: volume, annotations: { 'pv.kubernetes.io/provisioned-by': provisioner } },
      spec: {
        accessModes: ['ReadWriteMany'],
        capacity: { storage: '1Gi' },
        csi: { driver: provisioner, volumeHandle: volume },
        storageClassName: found?.spec.storageClassName ?? '',
        claimRef,
      },
    });
    await harness.clock.advance(2000);
    expect((await claim(name))?.status?.phase).toBe('Bound');
  }

  const ask = (spec: object = {}, more: object = {}) =>
    harness.ask('copy', 'web', 'clone', { cloneSpec: { targetName: 'web-2', ...spec }, ...more });

  it('waits until there is a volume to copy, and until its own is created', async () => {
    await vm('now');
    await ask();
    await harness.clock.advance(2000);
    expect((await harness.operation('copy')).status).toMatchObject({
      phase: 'Pending',
      message: 'PersistentVolumeClaim disk-web of disk root has no volume to copy, waiting',
    });
    await provision('disk-web');
    await harness.clock.advance(2000);
    expect((await claim('web-2-root'))?.spec).toMatchObject({
      dataSource: { kind: 'PersistentVolumeClaim', name: 'disk-web' },
      resources: { requests: { storage: '1Gi' } },
    });
    expect((await harness.operation('copy')).status).toMatchObject({
      phase: 'Running',
      message: 'waiting for the volume of PersistentVolumeClaim web-2-root',
    });
    await provision('web-2-root');
    expect((await harness.over('copy')).status).toMatchObject({
      phase: 'Succeeded',
      message: 'created VirtualMachine default/web-2 with its disks',
    });
  });

  it('reports if its volume is created at the first start', async () => {
    await vm('late');
    await provision('disk-web');
    await ask();
    expect((await harness.over('copy')).status).toMatchObject({
      phase: 'Succeeded',
      message: expect.stringMatching(
        /until the first start of the clone, which creates the volumes of \S+ web-2-root$/,
      ) as string,
    });
  });

  it('is deleted if its volume is not created in time, and reports which', async () => {
    await vm('now');
    await provision('disk-web');
    await ask({}, { timeout: '1m' });
    const { status } = await harness.over('copy');
    expect(status).toMatchObject({ phase: 'Failed' });
    expect(status?.message).toContain('no volume was created for PersistentVolumeClaim web-2-root');
    await harness.clock.advance(60_000);
    expect(await claim('web-2-root')).toBeUndefined();
    expect(await ignoreNotFound(harness.admin.get(VMS, 'web-2', { namespace }))).toBeUndefined();
  });

  it('is not linked, which is reported before any change', async () => {
    await vm('now');
    await provision('disk-web');
    await ask({ linkedClone: true });
    expect((await harness.over('copy')).status).toMatchObject({
      phase: 'Failed',
      message:
        'cloneSpec.linkedClone: disk root cannot be linked: storage class now is not simulated; nothing has been changed',
    });
    expect(await ignoreNotFound(harness.admin.get(VMS, 'web-2', { namespace }))).toBeUndefined();
  });
});
