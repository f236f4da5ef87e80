import { existsSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportSkipped } from '#testing/programs';
import { missingAssets } from '../cluster/assets.ts';
import { installOperator } from '../cluster/installed.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { hasKubectl, Kubectl } from '../e2e/support/kubectl.ts';
import { DRIVER, type HostpathStorage, startHostpathStorage } from './hostpath.ts';
import { missingForCsi } from './programs.ts';

const WHAT = 'machines on volumes of a real CSI driver';
const missing = missingAssets().length > 0 ? missingAssets().join(', ') : await missingForCsi();
if (missing !== '') reportSkipped(`${WHAT}, which need ${missing}`);

const storageClass = (name: string, volumeBindingMode: string, more: object = {}) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: DRIVER,
  volumeBindingMode,
  ...more,
});
/** The only class of its driver, which is not marked as the default. */
const SNAPSHOT_CLASS = {
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name: 'folders' },
  driver: DRIVER,
  deletionPolicy: 'Delete',
};
const CSI_DRIVER = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: DRIVER },
  spec: { attachRequired: false },
};

const machine = (name: string, storageClassName: string) => ({
  apiVersion: 'hypersdk.io/v1alpha1',
  kind: 'VirtualMachine',
  metadata: { name },
  spec: {
    cpus: 1,
    memory: '1Gi',
    image: { source: 'https://images.example.org/debian-12.qcow2' },
    disks: [{ name: 'root', size: '64Mi', storageClass: storageClassName, bootOrder: 1 }],
  },
});
const snapshot = (name: string, vm: string) => ({
  apiVersion: 'hypersdk.io/v1alpha1',
  kind: 'VMSnapshot',
  metadata: { name },
  spec: { vmRef: { name: vm } },
});
const operation = (name: string, vm: string, spec: object) => ({
  apiVersion: 'hypersdk.io/v1alpha1',
  kind: 'VMOperation',
  metadata: { name },
  spec: { vmRef: { name: vm }, ...spec },
});
const clone = (name: string, vm: string, cloneSpec: object, more: object = {}) =>
  operation(name, vm, { operation: 'clone', cloneSpec, ...more });

describe.skipIf(missing !== '' || !hasKubectl())(WHAT, () => {
  let cluster: RealCluster;
  let storage: HostpathStorage;
  let kubectl: Kubectl;

  beforeAll(async () => {
    cluster = await startRealCluster({ nodes: 2 });
    kubectl = new Kubectl(cluster.kubeconfig, cluster.folder);
    storage = await startHostpathStorage(cluster, await cluster.client());
    await apply(
      CSI_DRIVER,
      SNAPSHOT_CLASS,
      storageClass('folders', 'Immediate'),
      storageClass('late-folders', 'WaitForFirstConsumer'),
      storageClass('fickle', 'Immediate'),
    );
    await installOperator(cluster, { dialects: ['hypersdk'] });
  }, 600_000);
  afterAll(async () => {
    await cluster?.stop();
  });

  const apply = (...objects: readonly object[]) =>
    kubectl.ok('apply -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const wait = (what: string, condition: string) => kubectl.ok(`wait ${what} --for=${condition} --timeout=180s`);
  const field = (what: string, path: string) => kubectl.ok(['get', ...what.split(' '), `-o=jsonpath={${path}}`]);
  const run = async (name: string, storageClassName: string) => {
    await apply(machine(name, storageClassName));
    await wait(`vm/${name}`, 'condition=Ready');
  };
  const take = async (name: string, vm: string) => {
    await apply(snapshot(name, vm));
    await wait(`vmsnapshot/${name}`, 'jsonpath={.status.phase}=Ready');
  };
  /** Runs an operation and returns its final message. */
  const done = async (object: { readonly metadata: { readonly name: string } }) => {
    await apply(object);
    await wait(`vmoperation/${object.metadata.name}`, 'condition=Succeeded');
    return await field(`vmoperation/${object.metadata.name}`, '.status.message');
  };
  /** Returns the message of a failed operation or snapshot. */
  const failed = async (object: { readonly kind: string; readonly metadata: { readonly name: string } }) => {
    await apply(object);
    const what = `${object.kind.toLowerCase()}/${object.metadata.name}`;
    await wait(what, 'jsonpath={.status.phase}=Failed');
    return await field(what, '.status.conditions[?(@.type=="Failed")].message');
  };
  const text = (claim: string) => storage.read(claim, 'text');
  const say = (claim: string, said: string) => storage.write(claim, 'text', said);

  it('are captured while they run, in a VolumeSnapshot of the only class of the driver', async () => {
    await run('db', 'folders');
    await say('db-root', 'one');
    await take('one', 'db');
    expect(await field('vmsnapshot/one', '.status.size} {.status.disks[0].volumeSnapshot')).toBe('64Mi one-root');
    expect(await field('volumesnapshot/one-root', '.spec.volumeSnapshotClassName} {.status.readyToUse')).toBe(
      'folders true',
    );
    const taken = await field('volumesnapshot/one-root', '.status.creationTime');
    expect(Date.parse(await field('vmsnapshot/one', '.status.creationTime'))).toBe(Date.parse(taken));
  });

  it('are restored, and run again with the captured contents', async () => {
    await say('db-root', 'two');
    const before = await field('pvc/db-root', '.spec.volumeName');
    await done(operation('back', 'db', { operation: 'restore', restoreSpec: { snapshotName: 'one' } }));
    expect(await text('db-root')).toBe('one');
    expect(await field('pvc/db-root', '.spec.volumeName')).not.toBe(before);
    await wait('vm/db', 'condition=Ready');
    await wait(`pv/${before}`, 'delete');
  });

  it('are cloned, directly and from a snapshot, to volumes that are complete when the clone exists', async () => {
    await say('db-root', 'three');
    await done(clone('as-it-is', 'db', { targetName: 'db-now' }));
    expect(await text('db-now-root')).toBe('three');
    await done(clone('as-it-was', 'db', { targetName: 'db-then', snapshotRef: 'one' }));
    expect(await text('db-then-root')).toBe('one');
    await say('db-now-root', 'other');
    expect([await text('db-root'), await text('db-then-root')]).toEqual(['three', 'one']);
  });

  it('with volumes that are created at the first start are captured, restored and cloned too', async () => {
    await run('late', 'late-folders');
    await say('late-root', 'early');
    await take('early', 'late');
    await say('late-root', 'later');
    const said = await done(clone('started', 'late', { targetName: 'late-now', startAfterClone: true }));
    expect(said).toContain('late-now');
    await wait('vm/late-now', 'condition=Ready');
    expect(await text('late-now-root')).toBe('later');
    await done(operation('back-early', 'late', { operation: 'restore', restoreSpec: { snapshotName: 'early' } }));
    await wait('vm/late', 'condition=Ready');
    expect(await text('late-root')).toBe('early');
    const waits = await done(clone('off', 'late', { targetName: 'late-off', snapshotRef: 'early' }));
    expect(waits).toContain('late-off-root');
    expect(await text('late-off-root')).toBeUndefined();
    // The VolumeSnapshot is retained while something has to be created from it.
    await kubectl.ok('delete vmsnapshot early --wait=false');
    await wait('vmsnapshot/early', 'jsonpath={.status.phase}=Deleting');
    await kubectl.ok('patch vm late-off --type=merge -p {"spec":{"running":true}}');
    await wait('vm/late-off', 'condition=Ready');
    expect(await text('late-off-root')).toBe('early');
    await wait('vmsnapshot/early', 'delete');
    await wait('volumesnapshot/early-root', 'delete');
  });

  it('leave nothing of a deleted snapshot', async () => {
    const content = await field('volumesnapshot/one-root', '.status.boundVolumeSnapshotContentName');
    const handle = await field(`volumesnapshotcontent/${content}`, '.status.snapshotHandle');
    expect(existsSync(storage.snapshotFile(handle))).toBe(true);
    await kubectl.ok('delete vmsnapshot one');
    await wait('volumesnapshot/one-root', 'delete');
    await wait(`volumesnapshotcontent/${content}`, 'delete');
    expect(existsSync(storage.snapshotFile(handle))).toBe(false);
    expect(await text('db-then-root')).toBe('one');
  });

  it('are unchanged if the VolumeSnapshot to restore was deleted', async () => {
    await take('lost', 'db');
    await kubectl.ok('delete volumesnapshot lost-root');
    const before = await field('pvc/db-root', '.spec.volumeName');
    const restore = operation('nowhere', 'db', { operation: 'restore', restoreSpec: { snapshotName: 'lost' } });
    expect(await failed(restore)).toContain('the disks are unchanged');
    await wait('vm/db', 'condition=Ready');
    expect([await field('pvc/db-root', '.spec.volumeName'), await text('db-root')]).toEqual([before, 'three']);
  });

  it('are not cloned if the driver fails, and nothing of the clone remains', async () => {
    await run('odd', 'fickle');
    // From now on the driver rejects volumes of the class.
    await kubectl.ok('delete storageclass fickle');
    await apply(storageClass('fickle', 'Immediate', { parameters: { kind: 'none' } }));
    const why = await failed(clone('refused', 'odd', { targetName: 'odd-now' }, { timeout: '30s' }));
    expect(why).toContain('odd-now-root');
    await wait('pvc/odd-now-root', 'delete');
    expect(await kubectl.ok('get vm -o name')).not.toContain('odd-now');
  });

  it('are not captured if the driver fails, and the reason is reported', async () => {
    const folder = await storage.folderOf('odd-root');
    rmSync(folder ?? '', { recursive: true });
    expect(await failed(snapshot('torn', 'odd'))).toMatch(/failed create snapshot.*; no snapshot was stored/s);
    await wait('volumesnapshot/torn-root', 'delete');
    expect(await kubectl.ok('get volumesnapshotcontent -o name')).not.toContain('torn');
  });

  it('are not captured if the driver has no VolumeSnapshotClass', async () => {
    await kubectl.ok('delete volumesnapshotclass folders');
    expect(await failed(snapshot('classless', 'db'))).toContain(`driver ${DRIVER} has no VolumeSnapshotClass`);
    expect(await kubectl.ok('get volumesnapshots -o name')).not.toContain('classless');
  });
});
