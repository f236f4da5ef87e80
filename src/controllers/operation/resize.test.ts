import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HYPERSDK_VMS } from '../../kube/kinds/hypersdk.ts';
import { VMIS } from '../../kube/kinds/machines.ts';
import { NODES } from '../../kube/kinds/node.ts';
import { ALL_DIALECTS, namespace, type OperationWorld, startOperationWorld } from '../../testing/operation-world.ts';

const WEB = { vmRef: { name: 'web' } };

describe('a machine that is resized', () => {
  let world: OperationWorld;
  beforeEach(async () => {
    // A move takes a while.
    world = await startOperationWorld({ dialects: ALL_DIALECTS, link: 1e8 });
  });
  afterEach(() => world.stop());

  async function make(memory: string, cpus = 2) {
    await world.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'web', namespace },
      spec: { cpus, memory, disks: [{ name: 'root', size: '1Gi', storageClass: 'fast-ssd' }] },
    });
    await world.clock.advance(10_000);
  }
  const instance = async () => (await world.admin.get(VMIS, 'web.hypersdk', { namespace })).status;
  const resize = (name: string, resizeSpec: object) => world.ask(name, 'web', 'resize', { ...WEB, resizeSpec });

  it('has the size when the operation is over, and is free for those behind it', async () => {
    await make('2Gi');
    const from = (await instance())?.nodeName ?? '';
    await resize('a', { cpus: 4 });
    await world.ask('b', 'web', 'snapshot', WEB);
    await world.ask('c', 'web', 'migrate', { ...WEB, migrateSpec: { targetNode: from } });
    expect((await world.over('a')).status).toMatchObject({
      phase: 'Succeeded',
      message: 'the machine has 4 CPUs and 2Gi of memory',
      result: { hotplug: true },
    });
    const grown = await instance();
    expect(grown?.currentCPUTopology).toMatchObject({ sockets: 4 });
    expect((await world.over('b')).status?.phase).toBe('Succeeded');
    expect((await world.over('c')).status).toMatchObject({
      phase: 'Succeeded',
      message: `the machine runs on node ${from}`,
      result: { sourceNode: expect.not.stringContaining(from) as string },
    });
    expect((await instance())?.nodeName).toBe(from);
  });

  it.each([
    ['less memory', '2Gi', 2, { cpus: 4, memory: '1Gi' }, 4],
    ['more memory than can be plugged in', '512Mi', 1, { cpus: 2, memory: '1Gi' }, 2],
  ])('has the CPUs at once where %s takes a restart', async (_what, memory, cpus, wanted, sockets) => {
    await make(memory, cpus);
    await resize('a', wanted);
    expect((await world.over('a')).status).toMatchObject({
      phase: 'Succeeded',
      message: `RestartRequired: the machine has ${sockets} CPUs now; it has 1Gi of memory from its next start on`,
      result: { hotplug: true },
    });
    const grown = await instance();
    expect(grown?.currentCPUTopology).toMatchObject({ sockets });
    expect(grown?.migrationState?.completed).toBe(true);
  });

  it('is not said to be on a node that it leaves', async () => {
    await make('2Gi');
    const node = (await instance())?.nodeName ?? '';
    const stay = (name: string) => world.ask(name, 'web', 'migrate', { ...WEB, migrateSpec: { targetNode: node } });
    const body = { spec: { cpus: 4 } };
    await world.admin.patch(HYPERSDK_VMS, 'web', { type: 'merge', body }, { namespace });
    await world.clock.advance(500);
    await stay('grows');
    expect((await world.over('grows')).status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining(`is about to leave node ${node}: nothing has been changed`) as string,
    });
    await world.admin.patch(NODES, node, { type: 'merge', body: { spec: { unschedulable: true } } });
    await stay('cordoned');
    expect((await world.over('cordoned')).status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('it is cordoned') as string,
    });
  });

  it('is not made too small to start, also while it is off', async () => {
    await make('1Gi');
    await world.ask('off', 'web', 'stop', WEB);
    await world.over('off');
    await resize('a', { memory: '1Mi' });
    expect((await world.over('a')).status).toMatchObject({
      phase: 'Failed',
      message: 'no machine starts with less than 32Mi of memory: nothing has been changed',
    });
    expect((await world.admin.get(HYPERSDK_VMS, 'web', { namespace })).spec.memory).toBe('1Gi');
  });
});
