import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import { ALL_DIALECTS, namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';

describe('operations on a VM that terminated by itself', () => {
  let harness: OperationHarness;
  beforeEach(async () => {
    harness = await startOperationHarness({ dialects: ALL_DIALECTS });
  });
  afterEach(() => harness.stop());

  const CRASH = { 'vimana.io/fail': 'crash', 'vimana.io/fail-after': '20s' };
  const SHUTDOWN = { 'vimana.io/complete-after': '20s' };
  const make = async (annotations: object, highAvailability: object) => {
    const spec = { cpus: 1, memory: '1Gi', annotations, highAvailability };
    await harness.admin.create(HYPERSDK_VMS, { metadata: { name: 'web', namespace }, spec });
    await harness.clock.advance(30_000);
  };
  const vm = () => harness.admin.get(HYPERSDK_VMS, 'web', { namespace });
  const phaseNow = async () => (await vm()).status?.phase;
  const ask = async (operation: string) => {
    await harness.ask(operation, 'web', operation, { vmRef: { name: 'web' } });
    return (await harness.over(operation)).status;
  };

  it.each([
    ['crashed', CRASH, 'Never', 'Failed'],
    ['shut itself down', SHUTDOWN, 'OnFailure', 'Stopped'],
  ])('start one that %s, like any other', async (_, annotations, restartPolicy, phase) => {
    await make(annotations, { enabled: true, restartPolicy });
    expect(await phaseNow()).toBe(phase);
    expect(await ask('start')).toMatchObject({
      phase: 'Succeeded',
      message: expect.stringContaining('running on node') as string,
    });
    expect(await phaseNow()).toBe('Running');
  });

  it('stop one that crashed permanently', async () => {
    await make(CRASH, { enabled: true, restartPolicy: 'Never' });
    expect(await ask('stop')).toMatchObject({ phase: 'Succeeded' });
    await harness.clock.advance(5000);
    expect((await vm()).spec.running).toBe(false);
    expect(await phaseNow()).toBe('Stopped');
    expect(await ask('start')).toMatchObject({ phase: 'Succeeded' });
  });

  it('start one at once that waits for its restart', async () => {
    await make(CRASH, { enabled: true, restartPolicy: 'Always', restartDelay: '10m' });
    expect(await phaseNow()).toBe('Pending');
    const before = harness.clock.now();
    expect(await ask('start')).toMatchObject({ phase: 'Succeeded' });
    expect(harness.clock.now() - before).toBeLessThan(60_000);
  });
});
