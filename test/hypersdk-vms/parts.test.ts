import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HYPERSDK_VMS, VM_TEMPLATES } from '#api/hypersdk/resources';
import { VMIS } from '#api/kubevirt/resources';
import { SECRETS, SERVICES } from '#platform/kube/kinds/core';
import { PODS } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import { namespace, ROOT, World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.start();
});
afterEach(() => world.stop());

describe('the Service of a VM', () => {
  it('has the ports that the VM declares, also after they have changed', async () => {
    const ports = async () =>
      ((await world.admin.get(SERVICES, 'web', { namespace })).spec?.['ports'] ?? []) as readonly object[];
    const network = (...declared: object[]) => ({ networks: [{ name: 'default', ports: declared }] });
    await world.make('web', { disks: [ROOT], ...network({ name: 'http', port: 80 }) });
    expect(await ports()).toMatchObject([{ name: 'http', port: 80, protocol: 'TCP', targetPort: 80 }]);
    await world.edit('web', network({ port: 22 }, { port: 53, protocol: 'UDP' }));
    await world.advance(5000);
    expect(await ports()).toMatchObject([
      { name: 'tcp-22', port: 22 },
      { name: 'udp-53', port: 53, protocol: 'UDP' },
    ]);
    await world.edit('web', network());
    await world.advance(5000);
    expect(await ports()).toEqual([]);
  });
});

describe('the disks of a VM', () => {
  it('are its own claims, which are retained while it is stopped and deleted with it', async () => {
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
    await world.admin.delete(HYPERSDK_VMS, 'web', { namespace });
    await world.advance(30_000);
    for (const type of [HYPERSDK_VMS, VMIS, PODS, PERSISTENT_VOLUME_CLAIMS])
      expect(await world.names(type)).toEqual([]);
    expect(await world.names(SERVICES)).toEqual(['kubernetes']);
    expect((await world.admin.list(PERSISTENT_VOLUMES)).items).toEqual([]);
  });

  it('are retained on request, and adopted by the next VM of that name', async () => {
    const retained = { 'hypersdk.io/retain-disks': 'true' };
    await world.make('db', { disks: [ROOT] }, retained);
    const { uid } = (await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'db-root', { namespace })).metadata;
    await world.admin.delete(HYPERSDK_VMS, 'db', { namespace });
    await world.advance(30_000);
    expect(await world.names(PERSISTENT_VOLUME_CLAIMS)).toEqual(['db-root']);
    await world.make('db', { disks: [ROOT] });
    expect(await world.phase('db')).toBe('Running');
    const { metadata } = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'db-root', { namespace });
    expect(metadata.uid).toBe(uid);
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'VirtualMachine', name: 'db' }]);
  });

  it('are reported to differ from spec if they were created before', async () => {
    await world.make('web', { disks: [{ ...ROOT, storageClass: 'fast-ssd' }] }, { 'hypersdk.io/retain-disks': 'true' });
    await world.admin.delete(HYPERSDK_VMS, 'web', { namespace });
    await world.advance(5000);
    await world.make('web', { disks: [{ ...ROOT, size: '10Gi' }] });
    expect(await world.condition('web', 'DiskReady')).toMatchObject({
      status: 'True',
      message: 'bound: web-root (20Gi instead of 10Gi; StorageClass fast-ssd instead of standard)',
    });
  });

  it('never use a claim of another owner, unless the disk names it', async () => {
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

  it('wait for their source claim', async () => {
    await world.make('web', { disks: [{ ...ROOT, source: { pvc: 'golden' } }] });
    expect(await world.phase('web')).toBe('Pending');
    expect(await world.condition('web', 'Ready')).toMatchObject({
      reason: 'NotFound',
      message: 'PersistentVolumeClaim golden, referenced by spec.disks[0].source.pvc, not found, waiting',
    });
    const spec = { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } };
    await world.admin.create(PERSISTENT_VOLUME_CLAIMS, { metadata: { name: 'golden', namespace }, spec });
    await world.advance(5000);
    expect(await world.phase('web')).toBe('Running');
    const { metadata } = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    expect(metadata.annotations?.['vimana.io/disk-source']).toBe('{"claim":"golden"}');
  });

  it('grow while the VM runs, with their claims', async () => {
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

  it('do not exceed what their storage allows, with the reason, and spec may be reverted', async () => {
    await world.admin.create(STORAGE_CLASSES, { metadata: { name: 'fixed' }, provisioner: 'vimana.io/simulated' });
    const root = { ...ROOT, storageClass: 'fixed' };
    await world.make('web', { disks: [root] });
    await world.edit('web', { disks: [{ ...root, size: '30Gi' }] });
    expect(await world.phase('web')).toBe('Running');
    expect((await world.events('web')).join()).toContain('DiskNotChanged: disk root cannot be updated to match spec: ');
    expect(await world.condition('web', 'DiskReady')).toMatchObject({
      status: 'False',
      reason: 'DiskCannotGrow',
      message: expect.stringContaining('disk root has 20Gi, but spec requests 30Gi: StorageClass fixed') as string,
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

  it('are waited for until their storage is provisioned, with the reason', async () => {
    await world.make('web', { disks: [{ ...ROOT, storageClass: 'replicated' }] });
    expect(await world.phase('web')).toBe('Pending');
    expect(await world.condition('web', 'DiskReady')).toMatchObject({
      reason: 'ClaimPending',
      message: 'PersistentVolumeClaim web-root has no volume yet: StorageClass replicated not found',
    });
    expect(await world.names(PODS)).toEqual([]);
  });
});

describe('the cloud-init of a VM', () => {
  const secret = (metadata: object) => world.admin.create(SECRETS, { metadata: { namespace, ...metadata } });

  it('waits for a Secret that does not exist', async () => {
    await world.make('web', { cloudInit: { secretRef: { name: 'first-boot' } } });
    expect(await world.phase('web')).toBe('Pending');
    expect(await world.condition('web', 'Ready')).toMatchObject({
      reason: 'NotFound',
      message: 'Secret first-boot, referenced by spec.cloudInit.secretRef, not found, waiting',
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

  it('waits for a Secret that the template names', async () => {
    const cloudInit = { secretRef: { name: 'first-boot' } };
    await world.admin.create(VM_TEMPLATES, {
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
