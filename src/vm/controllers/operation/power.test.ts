import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIMS, VMIS, VMS } from '#api/kubevirt/resources';
import { isNotFound } from '#platform/kube/kube-error';
import { namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';

describe('operations on a VM', () => {
  let harness: OperationHarness;
  beforeEach(async () => {
    harness = await startOperationHarness();
  });
  afterEach(() => harness.stop());

  const make = async (name: string, spec: object = {}, annotations: Record<string, string> = {}) => {
    const domain = { cpu: { sockets: 1 }, memory: { guest: '1Gi' }, devices: {} };
    const template = { metadata: { annotations }, spec: { domain } };
    await harness.admin.create(VMS, {
      metadata: { name, namespace },
      spec: { runStrategy: 'Always', template, ...spec },
    });
    await harness.clock.advance(5000);
  };
  const instance = (name: string) =>
    harness.admin.get(VMIS, name, { namespace }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const vm = (name: string) => harness.admin.get(VMS, name, { namespace });

  it('start a stopped VM, in two writes of their own status and one of the VM', async () => {
    await make('web', { runStrategy: 'Halted' });
    harness.writes.length = 0;
    await harness.ask('go', 'web', 'start');
    const { status } = await harness.over('go');
    expect(status).toMatchObject({ phase: 'Succeeded', progress: 100 });
    expect(status?.conditions?.map(({ type, status: holds }) => `${type} ${holds}`)).toEqual([
      'Succeeded True',
      'Failed False',
    ]);
    expect((await instance('web'))?.status?.phase).toBe('Running');
    expect((await vm('web')).spec.runStrategy).toBe('Always');
    expect(harness.writes.filter((write) => write.includes('vmoperations'))).toHaveLength(2);
    expect(harness.writes.filter((write) => write === 'patch virtualmachines')).toHaveLength(1);
  });

  it('have nothing to do if the VM is in the desired state', async () => {
    await make('web');
    await harness.ask('go', 'web', 'start');
    expect((await harness.over('go')).status).toMatchObject({
      phase: 'Succeeded',
      message: 'the VM is already running',
    });
    await harness.ask('halt', 'web', 'stop');
    expect((await harness.over('halt')).status?.phase).toBe('Succeeded');
    await harness.ask('halt-again', 'web', 'stop');
    expect((await harness.over('halt-again')).status?.message).toBe('the VM is already stopped');
    await harness.ask('again', 'web', 'restart');
    expect((await harness.over('again')).status).toMatchObject({
      phase: 'Succeeded',
      message: expect.stringContaining('the VM was stopped and is now running on node') as string,
    });
  });

  it('report why a VM that crashes repeatedly cannot be stopped, and restart it later', async () => {
    const crash = { 'vimana.io/fail': 'crash', 'vimana.io/fail-after': '5s' };
    await make('web', { runStrategy: 'RerunOnFailure' }, crash);
    await harness.clock.advance(10_000);
    await harness.ask('halt', 'web', 'stop');
    expect((await harness.over('halt')).status?.message).toBe(
      'the VM cannot be stopped: VM is not running, and its spec will start it again',
    );
    await harness.ask('again', 'web', 'restart');
    expect((await harness.over('again')).status).toMatchObject({ phase: 'Succeeded' });
  });

  it('give a guest its grace period to stop, or none by force', async () => {
    await make('slow', {}, { 'vimana.io/shutdown-duration': 'never' });
    await harness.ask('halt', 'slow', 'stop');
    const began = harness.clock.now();
    await harness.over('halt');
    expect(harness.clock.now() - began).toBeGreaterThan(25_000);
    expect(await instance('slow')).toBeUndefined();
    await make('other', {}, { 'vimana.io/shutdown-duration': 'never' });
    await harness.ask('cut', 'other', 'stop', { force: true });
    const from = harness.clock.now();
    await harness.over('cut');
    expect(harness.clock.now() - from).toBeLessThan(5000);
  });

  it('restart a VM once', async () => {
    await make('web');
    const before = await instance('web');
    await harness.ask('again', 'web', 'restart');
    expect((await harness.over('again')).status?.phase).toBe('Succeeded');
    const after = await instance('web');
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    await harness.clock.advance(60_000);
    expect((await instance('web'))?.metadata.uid).toBe(after?.metadata.uid);
  });

  it('delete a VM', async () => {
    await make('web');
    await harness.ask('away', 'web', 'delete');
    expect((await harness.over('away')).status).toMatchObject({ phase: 'Succeeded', message: 'the VM was deleted' });
    await expect(vm('web')).rejects.toSatisfy(isNotFound);
    expect(await instance('web')).toBeUndefined();
  });

  it('run one at a time, in order, and report which one blocks them', async () => {
    await make('web', {}, { 'vimana.io/shutdown-duration': '5s' });
    await harness.ask('a-stop', 'web', 'stop');
    await harness.ask('b-start', 'web', 'start');
    await harness.ask('c-again', 'web', 'restart');
    await harness.clock.advance(2500);
    expect((await harness.operation('c-again')).status).toMatchObject({
      phase: 'Pending',
      message: expect.stringContaining('default/b-start (start)') as string,
    });
    for (const name of ['a-stop', 'b-start', 'c-again'])
      expect((await harness.over(name)).status?.phase).toBe('Succeeded');
  });

  it('wait for a missing VM, and fail with a timeout', async () => {
    await harness.ask('go', 'late', 'start');
    await harness.clock.advance(60_000);
    expect((await harness.operation('go')).status).toMatchObject({
      phase: 'Pending',
      conditions: [
        { type: 'Succeeded', status: 'False', reason: 'NotFound' },
        { type: 'Failed', status: 'False' },
      ],
      message: 'VirtualMachine.kubevirt.io default/late not found, waiting',
    });
    await make('late', { runStrategy: 'Halted' });
    expect((await harness.over('go')).status?.phase).toBe('Succeeded');
    await harness.ask('never', 'nobody', 'start', { timeout: '1m' });
    const { status } = await harness.over('never');
    expect(status).toMatchObject({ phase: 'Failed', conditions: [{ reason: 'NotFound' }, { status: 'True' }] });
  });

  it('can be canceled while they wait, without a change', async () => {
    await harness.ask('go', 'late', 'start');
    await harness.clock.advance(100);
    const body = { spec: { cancel: true } };
    const { vmOperation } = await import('#api/hypersdk/vm-operation');
    const { resourceTypeFor } = await import('#api/kubevirt/resources');
    await harness.admin.patch(resourceTypeFor(vmOperation), 'go', { type: 'merge', body }, { namespace });
    expect((await harness.over('go')).status).toMatchObject({
      phase: 'Cancelled',
      conditions: [{ type: 'Succeeded' }, { type: 'Failed', status: 'False' }, { type: 'Cancelled', status: 'True' }],
    });
  });

  it('are deleted after their TTL', async () => {
    await make('web');
    await harness.ask('go', 'web', 'start', { ttlSecondsAfterFinished: 60 });
    await harness.over('go');
    await harness.clock.advance(50_000);
    await harness.operation('go');
    await harness.clock.advance(15_000);
    await expect(harness.operation('go')).rejects.toSatisfy(isNotFound);
  });

  it('live-migrate a VM to the named node', async () => {
    await make('web');
    const from = (await instance('web'))?.status?.nodeName;
    const to = from === 'node-1' ? 'node-2' : 'node-1';
    await harness.ask('move', 'web', 'migrate', { migrateSpec: { targetNode: to, bandwidth: '100Mbps' } });
    const { status } = await harness.over('move');
    expect(status).toMatchObject({ phase: 'Succeeded', result: { sourceNode: from, targetNode: to, live: true } });
    expect((await instance('web'))?.status?.nodeName).toBe(to);
    const [vmim] = (await harness.admin.list(VMIMS, { namespace })).items;
    expect(vmim?.status?.migrationState).toMatchObject({
      migrationConfiguration: { bandwidthPerMigration: '12500000', allowAutoConverge: true, allowPostCopy: false },
    });
    await harness.ask('move-again', 'web', 'migrate', { migrateSpec: { targetNode: to } });
    expect((await harness.over('move-again')).status?.message).toBe(`the VM is already on node ${to}`);
    await harness.ask('nowhere', 'web', 'migrate', { migrateSpec: { targetNode: 'none' } });
    expect((await harness.over('nowhere')).status).toMatchObject({
      phase: 'Failed',
      message: 'node none not found: nothing has been changed',
    });
  });

  it('stop a VM and start it on the named node', async () => {
    await make('web', { runStrategy: 'Once' });
    const from = (await instance('web'))?.status?.nodeName;
    const to = from === 'node-1' ? 'node-2' : 'node-1';
    await harness.ask('move', 'web', 'migrate', { migrateSpec: { targetNode: to, live: false } });
    const { status } = await harness.over('move');
    expect(status).toMatchObject({ phase: 'Succeeded', result: { sourceNode: from, targetNode: to, live: false } });
    expect((await instance('web'))?.status?.nodeName).toBe(to);
    const machine = await vm('web');
    expect(machine.spec.runStrategy).toBe('Once');
    expect(machine.metadata.annotations ?? {}).toEqual({});
    await harness.ask('off', 'web', 'migrate', { migrateSpec: { live: false } });
    const { status: second } = await harness.over('off');
    expect(second?.phase).toBe('Succeeded');
    expect(second?.result?.targetNode).not.toBe(to);
    expect((await harness.operation('off')).metadata.finalizers ?? []).toEqual([]);
  });

  it('hot-plug what the VM supports, and report what requires a restart', async () => {
    await make('web');
    await harness.ask('more', 'web', 'resize', { resizeSpec: { cpus: 2, memory: '2Gi', hotplug: true } });
    expect((await harness.over('more')).status).toMatchObject({
      phase: 'Succeeded',
      result: { oldCPUs: 1, newCPUs: 2, oldMemory: '1Gi', newMemory: '2Gi', hotplug: true },
    });
    expect((await instance('web'))?.status).toMatchObject({
      currentCPUTopology: { sockets: 2 },
      memory: { guestCurrent: '2Gi' },
    });
    await harness.ask('less', 'web', 'resize', { resizeSpec: { cpus: 1, hotplug: true } });
    expect((await harness.over('less')).status?.message).toContain('1 CPU and 2Gi');
    await harness.ask('much', 'web', 'resize', { resizeSpec: { cpus: 64, hotplug: true } });
    expect((await harness.over('much')).status).toMatchObject({
      phase: 'Succeeded',
      message: expect.stringContaining('RestartRequired') as string,
      result: { hotplug: false },
    });
  });

  it('do not resize a VM below its usage', async () => {
    await make('web', {}, { 'vimana.io/memory-utilization': '1' });
    const before = (await vm('web')).metadata.generation;
    await harness.ask('less', 'web', 'resize', { resizeSpec: { memory: '512Mi' } });
    expect((await harness.over('less')).status).toMatchObject({
      phase: 'Failed',
      conditions: [
        { type: 'Succeeded', reason: 'BelowUsage' },
        { type: 'Failed', status: 'True' },
      ],
    });
    expect((await vm('web')).metadata.generation).toBe(before);
  });
});
