import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { ALL_DIALECTS, namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';
import { OPERATIONS } from './operation.ts';

const DISKS = [{ name: 'root', size: '1Gi', storageClass: 'fast-ssd' }];

describe('an operation that waits', () => {
  let harness: OperationHarness;
  beforeAll(async () => {
    // The slow link makes a migration take minutes.
    harness = await startOperationHarness({ dialects: ALL_DIALECTS, link: 1e6 });
  });
  afterAll(() => harness.stop());

  const make = (name: string, spec: object = {}) =>
    harness.admin.create(HYPERSDK_VMS, {
      metadata: { name, namespace },
      spec: { cpus: 1, memory: '1Gi', disks: DISKS, ...spec },
    });
  const ask = (name: string, vm: string, kind: string, spec: object = {}) =>
    harness.ask(name, vm, kind, { vmRef: { name: vm }, ...spec });
  const message = async (name: string) => (await harness.operation(name)).status?.message;

  it('for a missing disk reports why, and does not block others for long', async () => {
    await make('bare', { image: { templateRef: { name: 'nowhere' } }, disks: [{ name: 'root', size: '1Gi' }] });
    await ask('copy', 'bare', 'clone', { cloneSpec: { targetName: 'twin' } });
    await ask('halt', 'bare', 'stop');
    await harness.clock.advance(10_000);
    expect(await message('copy')).toMatch(/bare-root of disk root not found \(VMTemplate .*nowhere not found/);
    expect(await message('halt')).toContain('waiting for VMOperation default/copy');
    await harness.clock.advance(25_000);
    expect(await message('copy')).toContain('while other operations of the VM continue');
    expect((await harness.operation('halt')).status?.phase).toBe('Succeeded');
  });

  it('for a VM that does not start lets a fixing operation pass, and continues then', async () => {
    await make('huge', { cpus: 128, memory: '900Gi' });
    await ask('move', 'huge', 'migrate', { migrateSpec: { live: false } });
    await ask('mend', 'huge', 'resize', { resizeSpec: { cpus: 1, memory: '1Gi' } });
    await ask('again', 'huge', 'restart', { force: true });
    for (const name of ['mend', 'again', 'move'])
      expect((await harness.over(name, 120_000)).status?.phase, name).toBe('Succeeded');
  });

  it('for the start of a VM takes its snapshot with the memory', async () => {
    await make('new');
    await ask('snap', 'new', 'snapshot', { snapshotSpec: { includeMemory: true } });
    const requested = { vmRef: { name: 'new' }, includeMemory: true };
    await harness.admin.create(VM_SNAPSHOTS, { metadata: { name: 'direct', namespace }, spec: requested });
    expect((await harness.over('snap')).status).toMatchObject({ phase: 'Succeeded', result: { includeMemory: true } });
    await harness.clock.advance(5000);
    const { status } = await harness.admin.get(VM_SNAPSHOTS, 'direct', { namespace });
    expect(status).toMatchObject({ phase: 'Ready', includesMemory: true });
  });

  it('for a snapshot that cannot be taken reports what that waited for', async () => {
    await make('diskless', { image: { templateRef: { name: 'nowhere' } }, running: false });
    await ask('keep', 'diskless', 'snapshot', { timeout: '20s' });
    expect((await harness.over('keep')).status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('diskless-root') as string,
    });
  });

  it('for other migrations reports that, and names no node before it is scheduled', async () => {
    const vms = ['m0', 'm1', 'm2'];
    const nodeSelector = { 'kubernetes.io/hostname': 'node-1' };
    for (const name of vms) await make(name, { disks: [], nodeSelector });
    await harness.clock.advance(10_000);
    const free = { spec: { nodeSelector: null } };
    for (const name of vms) await harness.admin.patch(HYPERSDK_VMS, name, { type: 'merge', body: free }, { namespace });
    await harness.clock.advance(2000);
    for (const name of vms) {
      await ask(`go-${name}`, name, 'migrate');
      await harness.clock.advance(1000);
    }
    await harness.clock.advance(4000);
    expect(await message('go-m0')).toContain('the VM is migrating to node');
    expect(await message('go-m2')).toContain('waits for others to finish');
    const body = { spec: { cancel: true } };
    await harness.admin.patch(OPERATIONS, 'go-m0', { type: 'merge', body }, { namespace });
    const { status } = await harness.over('go-m0');
    expect(status).toMatchObject({ phase: 'Cancelled', result: { sourceNode: 'node-1' } });
    expect(status?.result).not.toHaveProperty('targetNode');
  });

  it('counts the disks that a snapshot includes, not those that are recreated', async () => {
    await make('seeded', { cloudInit: { userData: '#cloud-config' }, running: false });
    await harness.clock.advance(5000);
    await ask('shot', 'seeded', 'snapshot');
    expect((await harness.over('shot')).status?.phase).toBe('Succeeded');
    const { status } = await harness.admin.get(VM_SNAPSHOTS, 'shot', { namespace });
    expect(status?.vmState?.diskCount).toBe(1);
    expect(status?.disks).toHaveLength(1);
  });
});
