import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DISK_CONTENTS_ANNOTATION, parseContents } from '#api/disk/contents';
import { DISK_SOURCE_ANNOTATION } from '#api/disk/request';
import { HYPERSDK_VMS, VM_TEMPLATES } from '#api/hypersdk/resources';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { VMIMS } from '#api/kubevirt/resources';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { ALL_DIALECTS, namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';
import { OPERATIONS } from './operation.ts';

const OTHER = 'team-b';
const THERE = { vmRef: { name: 'web', namespace: OTHER } };

describe('operations from one namespace on VMs of another', () => {
  let harness: OperationHarness;
  beforeEach(async () => {
    harness = await startOperationHarness({ dialects: ALL_DIALECTS });
    await harness.admin.create(NAMESPACES, { metadata: { name: OTHER } });
    const spec = { cpus: 1, memory: '1Gi', disks: [{ name: 'root', size: '1Gi', storageClass: 'fast-ssd' }] };
    for (const where of [namespace, OTHER])
      await harness.admin.create(HYPERSDK_VMS, { metadata: { name: 'web', namespace: where }, spec });
    await harness.clock.advance(10_000);
  });
  afterEach(() => harness.stop());

  const allow = (whom: string) => {
    const body = { metadata: { annotations: { 'vimana.io/operations-from': whom } } };
    return harness.admin.patch(NAMESPACES, OTHER, { type: 'merge', body });
  };
  const vm = (name: string, where = OTHER) =>
    ignoreNotFound(harness.admin.get(HYPERSDK_VMS, name, { namespace: where }));
  const claim = (name: string) =>
    ignoreNotFound(harness.admin.get(PERSISTENT_VOLUME_CLAIMS, name, { namespace: OTHER }));
  const reasonOf = async (name: string) =>
    (await harness.over(name)).status?.conditions?.find(({ type }) => type === 'Failed')?.reason;

  it.each(['stop', 'delete', 'snapshot'])('are rejected (%s), and change nothing', async (operation) => {
    const before = (await vm('web'))?.metadata.resourceVersion;
    await harness.ask('op', 'web', operation, THERE);
    expect(await reasonOf('op')).toBe('Forbidden');
    expect((await harness.operation('op')).status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('annotation vimana.io/operations-from of namespace team-b') as string,
    });
    await harness.clock.advance(5000);
    expect((await vm('web'))?.metadata.resourceVersion).toBe(before);
    expect((await harness.admin.list(VM_SNAPSHOTS)).items).toEqual([]);
  });

  it('are rejected although their status says that they have started', async () => {
    await harness.ask('op', 'gone', 'delete', { vmRef: { name: 'web', namespace: OTHER } });
    const before = (await vm('web'))?.metadata.resourceVersion;
    const status = { phase: 'Running', completionTime: null, checkpoint: { step: 'Deleting' } };
    const where = { namespace, subresource: 'status' };
    await harness.admin.patch(OPERATIONS, 'op', { type: 'merge', body: { status } }, where);
    expect(await reasonOf('op')).toBe('Forbidden');
    await harness.clock.advance(5000);
    expect((await vm('web'))?.metadata.resourceVersion).toBe(before);
  });

  it('stop when that namespace revokes the permission', async () => {
    await allow('default');
    await harness.ask('op', 'web', 'migrate', { ...THERE, migrateSpec: { bandwidth: '1Mbps' } });
    await harness.clock.advance(5000);
    expect((await harness.operation('op')).status?.phase).toBe('Running');
    await allow('nobody');
    await harness.admin.patch(OPERATIONS, 'op', { type: 'merge', body: { spec: { cancel: true } } }, { namespace });
    expect(await reasonOf('op')).toBe('Forbidden');
    expect((await harness.operation('op')).metadata.finalizers ?? []).toEqual([]);
  });

  it('run if that namespace allows it', async () => {
    await allow('x,default');
    await harness.ask('op', 'web', 'stop', THERE);
    expect((await harness.over('op')).status?.phase).toBe('Succeeded');
    expect((await vm('web'))?.spec.running).toBe(false);
  });

  it('cancel a migration there when they are deleted', async () => {
    await allow('default');
    await harness.ask('op', 'web', 'migrate', { ...THERE, migrateSpec: { bandwidth: '1Mbps' } });
    await harness.clock.advance(5000);
    expect((await harness.admin.list(VMIMS, { namespace: OTHER })).items).toHaveLength(1);
    await harness.admin.delete(OPERATIONS, 'op', { namespace });
    await harness.clock.advance(30_000);
    expect(await ignoreNotFound(harness.operation('op'))).toBeUndefined();
    expect((await harness.admin.list(VMIMS, { namespace: OTHER })).items).toEqual([]);
    expect((await vm('web'))?.status?.phase).toBe('Running');
  });

  it('clone into it only if it allows that, with the contents of the disks', async () => {
    const cloneSpec = { targetName: 'copy', targetNamespace: OTHER };
    await harness.ask('op', 'web', 'clone', { vmRef: { name: 'web' }, cloneSpec });
    expect(await reasonOf('op')).toBe('Forbidden');
    expect(await vm('copy')).toBeUndefined();
    await allow('*');
    await harness.ask('again', 'web', 'clone', { vmRef: { name: 'web' }, cloneSpec });
    expect((await harness.over('again')).status?.phase).toBe('Succeeded');
    const { annotations } = (await claim('copy-root'))?.metadata ?? {};
    expect(parseContents(annotations?.[DISK_CONTENTS_ANNOTATION])?.from).toBe('claim default/web-root');
    expect((await harness.operation('again')).metadata.finalizers ?? []).toEqual([]);
  });

  it('give nothing to a user who creates the clone again after they have finished', async () => {
    await allow('default');
    const image = { source: 'docker://team/debian:12' };
    const disks = [{ name: 'root', size: '1Gi', storageClass: 'fast-ssd' }];
    await harness.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'db', namespace },
      spec: { cpus: 1, memory: '1Gi', image, disks },
    });
    await harness.clock.advance(10_000);
    const cloneSpec = { targetName: 'copy', targetNamespace: OTHER };
    await harness.ask('give', 'db', 'clone', { vmRef: { name: 'db' }, cloneSpec });
    expect((await harness.over('give')).status?.phase).toBe('Succeeded');
    const files = { '/late': { bytes: 1, digest: 'd', text: 'x' } };
    const wrote = { metadata: { annotations: { [DISK_CONTENTS_ANNOTATION]: JSON.stringify({ files }) } } };
    await harness.admin.patch(PERSISTENT_VOLUME_CLAIMS, 'db-root', { type: 'merge', body: wrote }, { namespace });
    const [copy, disk] = [await vm('copy'), await claim('copy-root')];
    const again = async () => {
      await harness.admin.delete(HYPERSDK_VMS, 'copy', { namespace: OTHER });
      await harness.clock.advance(20_000);
      expect(await claim('copy-root')).toBeUndefined();
    };
    await again();
    const { annotations } = copy?.metadata ?? {};
    await harness.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'copy', namespace: OTHER, ...(annotations === undefined ? {} : { annotations }) },
      spec: { ...copy?.spec, running: true },
    });
    await harness.clock.advance(20_000);
    const made = (await claim('copy-root'))?.metadata.annotations ?? {};
    expect(parseContents(made[DISK_CONTENTS_ANNOTATION])).toEqual({ image, files: {} });
    expect((await vm('copy'))?.status?.phase).toBe('Running');
    await again();
    const { [DISK_CONTENTS_ANNOTATION]: _contents, ...marks } = disk?.metadata.annotations ?? {};
    expect(marks).toHaveProperty([DISK_SOURCE_ANNOTATION]);
    await harness.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: 'copy-root', namespace: OTHER, annotations: marks, labels: { 'hypersdk.io/vm': 'copy' } },
      spec: {
        accessModes: ['ReadWriteMany'],
        storageClassName: 'fast-ssd',
        resources: { requests: { storage: '1Gi' } },
      },
    });
    await harness.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'copy', namespace: OTHER },
      spec: { cpus: 1, memory: '1Gi', disks },
    });
    await harness.clock.advance(30_000);
    expect((await claim('copy-root'))?.metadata.annotations).not.toHaveProperty([DISK_CONTENTS_ANNOTATION]);
    expect((await vm('copy'))?.status).toMatchObject({ phase: 'Pending' });
    expect((await vm('copy'))?.status?.conditions?.find(({ type }) => type === 'DiskReady')).toMatchObject({
      status: 'False',
      reason: 'DiskUnfilled',
      message: expect.stringContaining('is not populated from PersistentVolumeClaim default/db-root') as string,
    });
  });

  it('clone what came from a template with the VM, not the permission for its template', async () => {
    await allow('default');
    await harness.admin.create(VM_TEMPLATES, {
      metadata: { name: 'debian', namespace },
      spec: {
        displayName: 'Debian',
        image: { source: 'docker://team/debian:12' },
        defaultSpec: { disks: [{ name: 'root', size: '3Gi', storageClass: 'fast-ssd' }], labels: { os: 'debian' } },
      },
    });
    const spec = { cpus: 1, memory: '1Gi', image: { templateRef: { name: 'debian' } } };
    await harness.admin.create(HYPERSDK_VMS, { metadata: { name: 'made', namespace }, spec });
    await harness.clock.advance(10_000);
    const cloneSpec = { targetName: 'copy', targetNamespace: OTHER, startAfterClone: true };
    await harness.ask('op', 'made', 'clone', { vmRef: { name: 'made' }, cloneSpec });
    expect((await harness.over('op')).status?.phase).toBe('Succeeded');
    await harness.clock.advance(10_000);
    const copy = await vm('copy');
    expect(copy).toMatchObject({
      spec: { image: { source: 'docker://team/debian:12' }, labels: { os: 'debian' } },
      status: { phase: 'Running' },
    });
    expect(copy).not.toHaveProperty('spec.image.templateRef');
    expect((await claim('copy-root'))?.spec.resources?.requests?.['storage']).toBe('3Gi');
  });

  it('do not clone into a missing one, and block nothing', async () => {
    const cloneSpec = { targetName: 'copy', targetNamespace: 'nowhere' };
    await harness.ask('op', 'web', 'clone', { vmRef: { name: 'web' }, cloneSpec });
    await harness.ask('stop', 'web', 'stop', { vmRef: { name: 'web' } });
    expect(await reasonOf('op')).toBe('NotFound');
    expect((await harness.operation('op')).status?.message).toContain('namespace nowhere not found');
    expect((await harness.over('stop', 30_000)).status?.phase).toBe('Succeeded');
  });

  it('cannot be replaced by claims that name a disk there', async () => {
    const source = { claim: 'web-root', namespace };
    const made = { 'vimana.io/operation': 'default/op', 'vimana.io/operation-uid': 'forged' };
    await harness.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: {
        name: 'stolen',
        namespace: OTHER,
        annotations: { ...made, [DISK_SOURCE_ANNOTATION]: JSON.stringify(source) },
      },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'fast-ssd',
        resources: { requests: { storage: '1Gi' } },
      },
    });
    const annotations = { ...made, 'vimana.io/disk-sources': JSON.stringify({ root: source }) };
    await harness.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'thief', namespace: OTHER, annotations },
      spec: { cpus: 1, memory: '1Gi', disks: [{ name: 'root', size: '1Gi', storageClass: 'fast-ssd' }] },
    });
    await harness.clock.advance(30_000);
    for (const name of ['stolen', 'thief-root'])
      expect((await claim(name))?.metadata.annotations ?? {}, name).not.toHaveProperty([DISK_CONTENTS_ANNOTATION]);
  });

  it('give no access to a snapshot either', async () => {
    const take = (name: string) =>
      harness.admin.create(VM_SNAPSHOTS, {
        metadata: { name, namespace },
        spec: { vmRef: { name: 'web', namespace: OTHER } },
      });
    await take('s');
    await harness.clock.advance(5000);
    const { status } = await harness.admin.get(VM_SNAPSHOTS, 's', { namespace });
    expect(status?.conditions?.find(({ type }) => type === 'Failed')).toMatchObject({
      reason: 'Forbidden',
      message: expect.stringContaining('annotation vimana.io/operations-from of namespace team-b') as string,
    });
    await allow('default');
    await take('t');
    await harness.clock.advance(10_000);
    expect((await harness.admin.get(VM_SNAPSHOTS, 't', { namespace })).status?.phase).toBe('Ready');
  });
});
