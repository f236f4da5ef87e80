import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import { ALL_DIALECTS, namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';
import { OPERATIONS } from './operation.ts';

/** Dialects of all API groups but one. */
const SERVED = ALL_DIALECTS.filter(({ kind }) => kind.group !== 'novacron.io');
const WEB = { vmRef: { name: 'web' } };

describe('operations of one second', () => {
  let world: OperationHarness;
  beforeEach(async () => {
    world = await startOperationHarness({ dialects: SERVED, link: 1e6 });
    await world.admin.create(HYPERSDK_VMS, { metadata: { name: 'web', namespace }, spec: { cpus: 2, memory: '1Gi' } });
    await world.clock.advance(10_000);
  });
  afterEach(() => world.stop());

  const names = ['c-stop', 'b-resize', 'a-start'];
  async function askForAll() {
    await world.ask('c-stop', 'web', 'stop', WEB);
    await world.ask('b-resize', 'web', 'resize', { ...WEB, resizeSpec: { cpus: 3 } });
    await world.ask('a-start', 'web', 'start', WEB);
    const made = await Promise.all(names.map((name) => world.operation(name)));
    expect(new Set(made.map(({ metadata }) => metadata.creationTimestamp)).size).toBe(1);
  }
  async function expectInOrder() {
    for (const name of names) expect((await world.over(name)).status?.phase, name).toBe('Succeeded');
    await world.clock.advance(5000);
    const { status, spec } = await world.admin.get(HYPERSDK_VMS, 'web', { namespace });
    expect(spec).toMatchObject({ running: true, cpus: 3 });
    expect(status?.phase).toBe('Running');
    expect(status?.conditions?.some(({ type, status: holds }) => type === 'RestartRequired' && holds === 'True')).toBe(
      false,
    );
    expect((await world.operation('b-resize')).status?.message).toContain('from its next start');
  }

  it('run in the order of their creation, not of their names', async () => {
    await askForAll();
    await expectInOrder();
  });

  it('do so behind another, despite a restart of the operator and changes of their labels', async () => {
    await world.ask('slow', 'web', 'migrate', { ...WEB, migrateSpec: { bandwidth: '1Mbps' } });
    await world.clock.advance(2000);
    await askForAll();
    await world.clock.advance(5000);
    expect((await world.operation('a-start')).status).toMatchObject({ phase: 'Pending' });
    const body = { metadata: { labels: { seen: 'yes' } } };
    await world.admin.patch(OPERATIONS, 'c-stop', { type: 'merge', body }, { namespace });
    world.operator.kill();
    await world.clock.advance(2000);
    world.operator.start();
    await world.clock.advance(2000);
    const cancel = { spec: { cancel: true } };
    await world.admin.patch(OPERATIONS, 'slow', { type: 'merge', body: cancel }, { namespace });
    await expectInOrder();
  });

  it('wait for a missing VM, each up to its timeout', async () => {
    await world.ask('long', 'never', 'restart', { vmRef: { name: 'never' } });
    await world.clock.advance(1500);
    await world.ask('short', 'never', 'start', { vmRef: { name: 'never' }, timeout: '4s' });
    const before = world.clock.now();
    const { status } = await world.over('short');
    expect(status).toMatchObject({ phase: 'Failed', message: expect.stringContaining('not found') as string });
    expect(world.clock.now() - before).toBeLessThan(6000);
    await world.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'never', namespace },
      spec: { cpus: 1, memory: '1Gi' },
    });
    expect((await world.over('long')).status?.phase).toBe('Succeeded');
  });

  it('on VMs of a group that is not managed fail at once', async () => {
    await world.ask('op', 'web', 'stop', { vmRef: { name: 'web', apiGroup: 'novacron.io' } });
    await world.clock.advance(1000);
    expect((await world.operation('op')).status).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(
        /^API group novacron.io is not managed by this operator, which manages .*hypersdk.io/,
      ) as string,
    });
  });
});
