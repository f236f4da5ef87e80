import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import { ALL_DIALECTS, namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';
import { OPERATIONS } from './operation.ts';

/** Dialects of all API groups but one. */
const SERVED = ALL_DIALECTS.filter(({ kind }) => kind.group !== 'novacron.io');
const WEB = { vmRef: { name: 'web' } };

describe('operations of one second', () => {
  let harness: OperationHarness;
  beforeEach(async () => {
    harness = await startOperationHarness({ dialects: SERVED, link: 1e6 });
    await harness.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'web', namespace },
      spec: { cpus: 2, memory: '1Gi' },
    });
    await harness.clock.advance(10_000);
  });
  afterEach(() => harness.stop());

  const names = ['c-stop', 'b-resize', 'a-start'];
  async function askForAll() {
    await harness.ask('c-stop', 'web', 'stop', WEB);
    await harness.ask('b-resize', 'web', 'resize', { ...WEB, resizeSpec: { cpus: 3 } });
    await harness.ask('a-start', 'web', 'start', WEB);
    const made = await Promise.all(names.map((name) => harness.operation(name)));
    expect(new Set(made.map(({ metadata }) => metadata.creationTimestamp)).size).toBe(1);
  }
  async function expectInOrder() {
    for (const name of names) expect((await harness.over(name)).status?.phase, name).toBe('Succeeded');
    await harness.clock.advance(5000);
    const { status, spec } = await harness.admin.get(HYPERSDK_VMS, 'web', { namespace });
    expect(spec).toMatchObject({ running: true, cpus: 3 });
    expect(status?.phase).toBe('Running');
    expect(status?.conditions?.some(({ type, status: holds }) => type === 'RestartRequired' && holds === 'True')).toBe(
      false,
    );
    expect((await harness.operation('b-resize')).status?.message).toContain('from its next start');
  }

  it('run in the order of their creation, not of their names', async () => {
    await askForAll();
    await expectInOrder();
  });

  it('do so behind another, despite a restart of the operator and changes of their labels', async () => {
    await harness.ask('slow', 'web', 'migrate', { ...WEB, migrateSpec: { bandwidth: '1Mbps' } });
    await harness.clock.advance(2000);
    await askForAll();
    await harness.clock.advance(5000);
    expect((await harness.operation('a-start')).status).toMatchObject({ phase: 'Pending' });
    const body = { metadata: { labels: { seen: 'yes' } } };
    await harness.admin.patch(OPERATIONS, 'c-stop', { type: 'merge', body }, { namespace });
    harness.operator.kill();
    await harness.clock.advance(2000);
    harness.operator.start();
    await harness.clock.advance(2000);
    const cancel = { spec: { cancel: true } };
    await harness.admin.patch(OPERATIONS, 'slow', { type: 'merge', body: cancel }, { namespace });
    await expectInOrder();
  });

  it('wait for a missing VM, each up to its timeout', async () => {
    await harness.ask('long', 'never', 'restart', { vmRef: { name: 'never' } });
    await harness.clock.advance(1500);
    await harness.ask('short', 'never', 'start', { vmRef: { name: 'never' }, timeout: '4s' });
    const before = harness.clock.now();
    const { status } = await harness.over('short');
    expect(status).toMatchObject({ phase: 'Failed', message: expect.stringContaining('not found') as string });
    expect(harness.clock.now() - before).toBeLessThan(6000);
    await harness.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'never', namespace },
      spec: { cpus: 1, memory: '1Gi' },
    });
    expect((await harness.over('long')).status?.phase).toBe('Succeeded');
  });

  it('on VMs of a group that is not managed fail at once', async () => {
    await harness.ask('op', 'web', 'stop', { vmRef: { name: 'web', apiGroup: 'novacron.io' } });
    await harness.clock.advance(1000);
    expect((await harness.operation('op')).status).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(
        /^API group novacron.io is not managed by this operator, which manages .*hypersdk.io/,
      ) as string,
    });
  });
});
