import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DISK_CONTENTS_ANNOTATION, parseContents } from '#api/disk/contents';
import { DISK_SOURCE_ANNOTATION } from '#api/disk/request';
import { VMIS, VMS } from '#api/kubevirt/resources';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { isNotFound } from '#platform/kube/kube-error';
import { namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';

const CONTENTS = { image: { source: 'base.qcow2' }, files: { '/a': { bytes: 5, digest: 'd', text: 'hello' } } };

describe('a clone of a VM of kubevirt.io', () => {
  let harness: OperationHarness;
  beforeEach(async () => {
    harness = await startOperationHarness();
    await harness.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: {
        name: 'disk-web',
        namespace,
        annotations: { [DISK_CONTENTS_ANNOTATION]: JSON.stringify(CONTENTS) },
      },
      spec: {
        accessModes: ['ReadWriteMany'],
        storageClassName: 'fast-ssd',
        resources: { requests: { storage: '1Gi' } },
      },
    });
    await harness.admin.create(VMS, {
      metadata: { name: 'web', namespace, labels: { app: 'web' } },
      spec: {
        runStrategy: 'Always',
        template: {
          spec: {
            domain: {
              cpu: { sockets: 1 },
              memory: { guest: '1Gi' },
              devices: {
                disks: [{ name: 'root', disk: {} }],
                interfaces: [{ name: 'default', masquerade: {}, macAddress: '02:00:00:00:00:77' }],
              },
            },
            networks: [{ name: 'default', pod: {} }],
            volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'disk-web' } }],
          },
        },
      },
    });
    await harness.clock.advance(5000);
    harness.writes.length = 0;
  });
  afterEach(() => harness.stop());

  const vm = (name: string) => harness.admin.get(VMS, name, { namespace });
  const claim = (name: string) => harness.admin.get(PERSISTENT_VOLUME_CLAIMS, name, { namespace });

  it('is another VM with its own disks of the same contents, in few writes', async () => {
    await harness.ask('copy', 'web', 'clone', { cloneSpec: { targetName: 'web-2' } });
    const { status } = await harness.over('copy');
    expect(status).toMatchObject({ phase: 'Succeeded', result: { targetVM: 'web-2', targetNamespace: 'default' } });
    await harness.clock.advance(5000);
    const made = await vm('web-2');
    expect(made.metadata.labels).toEqual({ app: 'web' });
    expect(made.spec).toMatchObject({
      runStrategy: 'Halted',
      template: { spec: { volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'web-2-root' } }] } },
    });
    expect(made.spec.template.spec.domain.devices.interfaces).toEqual([{ name: 'default', masquerade: {} }]);
    const disk = await claim('web-2-root');
    expect(disk.metadata.ownerReferences).toMatchObject([{ kind: 'VirtualMachine', name: 'web-2', controller: true }]);
    expect(JSON.parse(disk.metadata.annotations?.[DISK_SOURCE_ANNOTATION] ?? '')).toEqual({ claim: 'disk-web' });
    expect(parseContents(disk.metadata.annotations?.[DISK_CONTENTS_ANNOTATION])).toMatchObject({
      files: CONTENTS.files,
      from: 'claim default/disk-web',
    });
    expect(harness.writes.length, harness.writes.join(', ')).toBeLessThanOrEqual(8);
  });

  it('runs at once on request, linked, with its own addresses', async () => {
    const cloneSpec = { targetName: 'web-2', linkedClone: true, startAfterClone: true };
    await harness.ask('copy', 'web', 'clone', { cloneSpec });
    expect((await harness.over('copy')).status?.phase).toBe('Succeeded');
    await harness.clock.advance(10_000);
    const [one, two] = await Promise.all(['web', 'web-2'].map((name) => harness.admin.get(VMIS, name, { namespace })));
    expect(two?.status?.phase).toBe('Running');
    expect(two?.status?.interfaces?.[0]?.mac).not.toBe(one?.status?.interfaces?.[0]?.mac);
    const { annotations } = (await claim('web-2-root')).metadata;
    expect(parseContents(annotations?.[DISK_CONTENTS_ANNOTATION])?.files['/a']?.shared).toBe(true);
  });

  it('is rejected if its name exists, and changes nothing', async () => {
    await harness.ask('copy', 'web', 'clone', { cloneSpec: { targetName: 'web-2' } });
    await harness.over('copy');
    await harness.ask('again', 'web', 'clone', { cloneSpec: { targetName: 'web-2' } });
    expect((await harness.over('again')).status).toMatchObject({
      phase: 'Failed',
      message: 'VirtualMachine.kubevirt.io default/web-2 already exists: nothing has been changed',
    });
    await harness.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: 'web-3-root', namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await harness.clock.advance(1000);
    await harness.ask('third', 'web', 'clone', { cloneSpec: { targetName: 'web-3' } });
    expect((await harness.over('third')).status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining(
        'PersistentVolumeClaim default/web-3-root, required for disk root of the clone, already exists',
      ) as string,
    });
    await expect(vm('web-3')).rejects.toSatisfy(isNotFound);
  });

  it('waits for its source snapshot', async () => {
    await harness.ask('copy', 'web', 'clone', {
      cloneSpec: { targetName: 'web-2', snapshotRef: 'none' },
      timeout: '1m',
    });
    await harness.clock.advance(1000);
    expect((await harness.operation('copy')).status).toMatchObject({
      phase: 'Pending',
      message: 'VMSnapshot default/none not found, waiting',
    });
    expect((await harness.over('copy')).status?.phase).toBe('Failed');
    await expect(vm('web-2')).rejects.toSatisfy(isNotFound);
  });
});
