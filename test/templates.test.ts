import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DISK_CONTENTS_ANNOTATION, parseContents } from '#api/disk/contents';
import { HYPERSDK_VMS, VM_TEMPLATES } from '#api/hypersdk/resources';
import { BASIS_ANNOTATION } from '#api/instance-request';
import { VMIS } from '#api/kubevirt/resources';
import { FakeClock } from '#platform/base/fake-clock';
import { seededRandom } from '#platform/base/random';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { ignoreNotFound } from '#platform/kube/kube-error';
import type { Embedded } from '#programs/up/embedded';
import { startInMemory } from '#testing/embedded-in-memory';

const namespace = 'default';

describe('VMs from a template', () => {
  let clock: FakeClock;
  let world: Embedded;
  beforeEach(async () => {
    clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
    world = await startInMemory({
      dialects: ['hypersdk'],
      pools: [{ count: 3 }],
      clock,
      random: seededRandom('templates'),
    });
    await clock.advance(5000);
  });
  afterEach(() => world.stop());

  const makeTemplate = (spec: object = {}, name = 'debian', place = namespace) =>
    world.admin.create(VM_TEMPLATES, {
      metadata: { name, namespace: place },
      spec: { displayName: 'Debian', image: { source: 'docker://team/debian:12' }, ...spec },
    });
  const makeMachine = async (name: string, templateRef: object = { name: 'debian' }, spec: object = {}) => {
    await world.admin.create(HYPERSDK_VMS, {
      metadata: { name, namespace },
      spec: { cpus: 1, memory: '1Gi', image: { templateRef }, ...spec },
    });
    await clock.advance(2000);
  };
  const status = async (name: string) => (await world.admin.get(HYPERSDK_VMS, name, { namespace })).status;
  const condition = async (name: string, type: string) =>
    (await status(name))?.conditions?.find((each) => each.type === type);
  const instance = (name: string) => ignoreNotFound(world.admin.get(VMIS, `${name}.hypersdk`, { namespace }));
  const edit = async (spec: object) => {
    await world.admin.patch(VM_TEMPLATES, 'debian', { type: 'merge', body: { spec } }, { namespace });
    await clock.advance(2000);
  };
  const restart = async (name: string) => {
    for (const running of [false, true]) {
      await world.admin.patch(HYPERSDK_VMS, name, { type: 'merge', body: { spec: { running } } }, { namespace });
      await clock.advance(40_000);
    }
  };

  it('wait for a missing template, and start when it exists', async () => {
    await makeMachine('web');
    expect(await status('web')).toMatchObject({ phase: 'Pending' });
    expect(await condition('web', 'Ready')).toMatchObject({
      status: 'False',
      reason: 'NotFound',
      message: expect.stringContaining('VMTemplate default/debian'),
    });
    expect(await instance('web')).toBeUndefined();
    expect((await world.admin.list(PERSISTENT_VOLUME_CLAIMS, { namespace })).items).toEqual([]);
    await makeTemplate({ defaultSpec: { disks: [{ name: 'root', size: '7Gi', storageClass: 'fast-ssd' }] } });
    await clock.advance(2000);
    expect(await status('web')).toMatchObject({ phase: 'Running' });
    const claim = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    expect(claim.spec).toMatchObject({ storageClassName: 'fast-ssd', resources: { requests: { storage: '7Gi' } } });
  });

  it('have its image on their first disk, and nothing on the others', async () => {
    const checksum = { type: 'sha256', value: 'ab'.repeat(32) };
    const disks = [
      { name: 'root', size: '7Gi' },
      { name: 'data', size: '1Gi' },
    ];
    await makeTemplate({ image: { source: 'docker://team/debian:12', checksum }, defaultSpec: { disks } });
    await makeMachine('web');
    const contents = async (claim: string) => {
      const { metadata } = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, claim, { namespace });
      return parseContents(metadata.annotations?.[DISK_CONTENTS_ANNOTATION]);
    };
    expect((await contents('web-root'))?.image).toEqual({
      source: 'docker://team/debian:12',
      checksum: `sha256:${checksum.value}`,
    });
    expect((await contents('web-data'))?.image).toBeUndefined();
  });

  it('may be in another namespace, if the template allows it', async () => {
    await world.admin.create(NAMESPACES, { metadata: { name: 'images' } });
    await makeTemplate({ defaultSpec: { labels: { secret: 'word' } } }, 'debian', 'images');
    await makeMachine('web', { name: 'debian', namespace: 'images' });
    const users = async () =>
      (await world.admin.get(VM_TEMPLATES, 'debian', { namespace: 'images' })).status?.usageCount;
    const share = async (whom: string | null) => {
      const body = { metadata: { annotations: { 'vimana.io/machines-from': whom } } };
      await world.admin.patch(VM_TEMPLATES, 'debian', { type: 'merge', body }, { namespace: 'images' });
      await clock.advance(2000);
    };
    expect(await status('web')).toMatchObject({ phase: 'Pending' });
    expect(await condition('web', 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Forbidden',
      message: expect.stringContaining('add default to the comma-separated annotation vimana.io/machines-from'),
    });
    expect((await world.admin.list(PERSISTENT_VOLUME_CLAIMS, { namespace })).items).toEqual([]);
    expect(await users()).toBe(0);
    await share('shop, default');
    expect(await status('web')).toMatchObject({ phase: 'Running' });
    expect((await instance('web'))?.metadata.labels).toMatchObject({ secret: 'word' });
    expect(await users()).toBe(1);
    // A running VM continues, and no longer blocks the deletion.
    await share(null);
    expect(await status('web')).toMatchObject({ phase: 'Running' });
    expect(await condition('web', 'RestartRequired')).toBeUndefined();
    expect(await users()).toBe(0);
    await world.admin.delete(VM_TEMPLATES, 'debian', { namespace: 'images' });
    await clock.advance(1000);
    expect(await ignoreNotFound(world.admin.get(VM_TEMPLATES, 'debian', { namespace: 'images' }))).toBeUndefined();
  });

  it('keep their spec when it changes, report that, and apply the change at their next start', async () => {
    await makeTemplate();
    await makeMachine('web');
    const before = await instance('web');
    expect(before?.metadata.annotations?.[BASIS_ANNOTATION]).toMatch(/^default\/debian@1\.0\.0 /);
    await edit({ description: 'another word', version: '1.0.1' });
    expect(await condition('web', 'RestartRequired')).toBeUndefined();
    await edit({ version: '1.1.0', defaultSpec: { firmware: { bootloader: 'uefi' }, labels: { tier: 'web' } } });
    expect((await instance('web'))?.metadata.uid).toBe(before?.metadata.uid);
    expect(await condition('web', 'RestartRequired')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('spec.firmware'),
    });
    await makeMachine('new');
    expect((await instance('new'))?.metadata.labels).toMatchObject({ tier: 'web' });
    await restart('web');
    expect((await instance('web'))?.metadata.labels).toMatchObject({ tier: 'web' });
    expect((await instance('web'))?.metadata.annotations?.[BASIS_ANNOTATION]).toMatch(/^default\/debian@1\.1\.0 /);
    expect(await condition('web', 'RestartRequired')).toBeUndefined();
  });

  it('keep their disks, whatever it says about disks later', async () => {
    const disk = (size: string, storageClass: string) => ({
      defaultSpec: { disks: [{ name: 'root', size, storageClass }] },
    });
    await makeTemplate(disk('20Gi', 'fast-ssd'));
    await makeMachine('web');
    const claim = () => world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    const before = await claim();
    for (const change of [disk('20Gi', 'standard'), disk('10Gi', 'standard'), disk('30Gi', 'fast-ssd')]) {
      await edit({ ...change, image: { source: 'docker://team/debian:13' } });
      await restart('web');
      expect(await status('web')).toMatchObject({ phase: 'Running' });
      expect((await claim()).metadata.uid).toBe(before.metadata.uid);
      expect((await claim()).metadata.annotations?.[DISK_CONTENTS_ANNOTATION]).toContain('debian:12');
    }
  });

  it('need no restart after it was reverted', async () => {
    await makeTemplate();
    await makeMachine('web');
    await edit({ defaultSpec: { labels: { tier: 'web' } } });
    expect(await condition('web', 'RestartRequired')).toMatchObject({ status: 'True' });
    await edit({ defaultSpec: null });
    expect(await condition('web', 'RestartRequired')).toBeUndefined();
  });

  it('prevent its deletion until the last of them is deleted', async () => {
    await makeTemplate();
    await makeMachine('web');
    await expect(world.admin.delete(VM_TEMPLATES, 'debian', { namespace })).rejects.toThrow('default/web');
    await world.admin.delete(HYPERSDK_VMS, 'web', { namespace });
    await clock.advance(40_000);
    await world.admin.delete(VM_TEMPLATES, 'debian', { namespace });
    await clock.advance(1000);
    expect(await ignoreNotFound(world.admin.get(VM_TEMPLATES, 'debian', { namespace }))).toBeUndefined();
  });

  it('are deleted with it and their whole namespace', async () => {
    await world.admin.create(NAMESPACES, { metadata: { name: 'shop' } });
    await clock.advance(1000);
    await makeTemplate({}, 'debian', 'shop');
    await world.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { cpus: 1, memory: '1Gi', image: { templateRef: { name: 'debian' } } },
    });
    await clock.advance(2000);
    await world.admin.delete(NAMESPACES, 'shop');
    await clock.advance(120_000);
    expect(await ignoreNotFound(world.admin.get(NAMESPACES, 'shop'))).toBeUndefined();
  });

  it('do not start from an image that is too large for their disk', async () => {
    await makeTemplate({ image: { source: 'docker://team/debian:12', size: '20Gi' } });
    await makeMachine('web', { name: 'debian' }, { disks: [{ name: 'root', size: '5Gi' }] });
    expect(await status('web')).toMatchObject({ phase: 'Pending' });
    expect(await condition('web', 'Ready')).toMatchObject({ reason: 'DiskTooSmall' });
    await world.admin.patch(
      HYPERSDK_VMS,
      'web',
      {
        type: 'merge',
        body: { spec: { disks: [{ name: 'root', size: '25Gi', storageClass: 'standard', type: 'disk' }] } },
      },
      { namespace },
    );
    await clock.advance(2000);
    expect(await status('web')).toMatchObject({ phase: 'Running' });
  });

  it('wait for the source claim of their disk, and start when it exists', async () => {
    await makeTemplate();
    const disks = [
      { name: 'root', size: '5Gi' },
      { name: 'data', size: '2Gi', source: { pvc: 'golden' } },
    ];
    await makeMachine('web', { name: 'debian' }, { disks });
    expect(await status('web')).toMatchObject({ phase: 'Pending' });
    expect(await condition('web', 'Ready')).toMatchObject({
      reason: 'NotFound',
      message: expect.stringContaining('golden'),
    });
    await world.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: 'golden', namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
    });
    await clock.advance(2000);
    expect(await status('web')).toMatchObject({ phase: 'Running' });
  });
});
