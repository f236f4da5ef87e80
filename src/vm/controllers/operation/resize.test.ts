import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import { VMIS } from '#api/kubevirt/resources';
import { NODES } from '#platform/kube/kinds/node';
import { ALL_DIALECTS, namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';

describe('a resized VM', () => {
  let harness: OperationHarness;
  beforeAll(async () => {
    // The slow link makes a migration take a while.
    harness = await startOperationHarness({ dialects: ALL_DIALECTS, link: 1e8 });
  });
  afterAll(() => harness.stop());

  let made = 0;
  /** Creates a running VM with helpers to query it. */
  async function vm(memory: string, cpus = 2) {
    const name = `m${made++}`;
    await harness.admin.create(HYPERSDK_VMS, {
      metadata: { name, namespace },
      spec: { cpus, memory, disks: [{ name: 'root', size: '1Gi', storageClass: 'fast-ssd' }] },
    });
    await harness.clock.advance(10_000);
    return {
      name,
      instance: async () => (await harness.admin.get(VMIS, `${name}.hypersdk`, { namespace })).status,
      ask: (kind: string, spec: object = {}) =>
        harness.ask(`${name}-${kind}`, name, kind, { vmRef: { name }, ...spec }),
      over: async (kind: string) => (await harness.over(`${name}-${kind}`)).status,
    };
  }

  it('has the size when the operation is finished, and is available for the next one', async () => {
    const { instance, ask, over } = await vm('2Gi');
    const from = (await instance())?.nodeName ?? '';
    await ask('resize', { resizeSpec: { cpus: 4 } });
    await ask('snapshot');
    await ask('migrate', { migrateSpec: { targetNode: from } });
    expect(await over('resize')).toMatchObject({
      phase: 'Succeeded',
      message: 'the VM has 4 CPUs and 2Gi of memory',
      result: { hotplug: true },
    });
    expect((await instance())?.currentCPUTopology).toMatchObject({ sockets: 4 });
    expect((await over('snapshot'))?.phase).toBe('Succeeded');
    expect(await over('migrate')).toMatchObject({
      phase: 'Succeeded',
      message: `the VM is running on node ${from}`,
      result: { sourceNode: expect.not.stringContaining(from) as string },
    });
    expect((await instance())?.nodeName).toBe(from);
  });

  it.each([
    ['less memory', '2Gi', 2, { cpus: 4, memory: '1Gi' }, 4],
    ['more memory than can be plugged in', '512Mi', 1, { cpus: 2, memory: '1Gi' }, 2],
  ])('has the CPUs at once if %s requires a restart', async (_what, memory, cpus, resizeSpec, sockets) => {
    const { instance, ask, over } = await vm(memory, cpus);
    await ask('resize', { resizeSpec });
    expect(await over('resize')).toMatchObject({
      phase: 'Succeeded',
      message: `RestartRequired: the VM has ${sockets} CPUs now; it has 1Gi of memory from its next start`,
      result: { hotplug: true },
    });
    const grown = await instance();
    expect(grown?.currentCPUTopology).toMatchObject({ sockets });
    expect(grown?.migrationState?.completed).toBe(true);
  });

  it('is not made too small to start, also while it is stopped', async () => {
    const { name, ask, over } = await vm('1Gi');
    await ask('stop');
    await over('stop');
    await ask('resize', { resizeSpec: { memory: '1Mi' } });
    expect(await over('resize')).toMatchObject({
      phase: 'Failed',
      message: 'a VM needs at least 32Mi of memory: nothing has been changed',
    });
    expect((await harness.admin.get(HYPERSDK_VMS, name, { namespace })).spec.memory).toBe('1Gi');
  });

  it('is not reported on a node that it leaves', async () => {
    const { name, instance, ask, over } = await vm('2Gi');
    const node = (await instance())?.nodeName ?? '';
    const body = { spec: { cpus: 4 } };
    await harness.admin.patch(HYPERSDK_VMS, name, { type: 'merge', body }, { namespace });
    await harness.clock.advance(500);
    await ask('migrate', { migrateSpec: { targetNode: node } });
    expect(await over('migrate')).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining(`is about to leave node ${node}: nothing has been changed`) as string,
    });
  });

  it('is not reported as already on a cordoned node', async () => {
    const { instance, ask, over } = await vm('2Gi');
    const node = (await instance())?.nodeName ?? '';
    await harness.admin.patch(NODES, node, { type: 'merge', body: { spec: { unschedulable: true } } });
    await ask('migrate', { migrateSpec: { targetNode: node } });
    expect(await over('migrate')).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('is cordoned') as string,
    });
  });
});
