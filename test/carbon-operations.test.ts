import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OPERATIONS } from '#api/hypersdk/operation-resources';
import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import { VMIS } from '#api/kubevirt/resources';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { EVENTS } from '#platform/kube/kinds/event';
import { type Embedded, startEmbedded } from '#programs/up/embedded';
import { NO_CARBON } from '#vm/carbon/settings';

const namespace = 'default';

describe('operations on VMs that wait for clean electricity', () => {
  const clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
  let world: Embedded;
  beforeEach(async () => {
    world = await startEmbedded({
      store: 'memory',
      dialects: ['hypersdk'],
      pools: [{ name: 'n', prefix: 'n-', count: 4 }],
      clock,
      random: seededRandom('carbon'),
      log: createMemoryLogger(clock),
      signsOfLife: 'assumed',
      carbon: { ...NO_CARBON, provider: 'config-map', zone: 'DE' },
    });
    await clock.advance(5000);
  });
  afterEach(() => world.stop());

  const grid = async (grams: number) => {
    const data = { 'grid.yaml': JSON.stringify({ zones: { DE: { intensity: [{ at: '00:00', grams }] } } }) };
    const metadata = { name: 'vimana-carbon', namespace: 'vimana-system' };
    await world.admin
      .create(CONFIG_MAPS, { metadata, data })
      .catch(() => world.admin.patch(CONFIG_MAPS, metadata.name, { type: 'merge', body: { data } }, metadata));
    await clock.advance(60_000);
  };
  const make = async () => {
    const carbonAware = { enabled: true, maxIntensity: 200, maxDelay: '4h' };
    const disks = [{ name: 'root', size: '1Gi', storageClass: 'fast-ssd' }];
    await world.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'web', namespace },
      spec: { cpus: 2, memory: '4Gi', carbonAware, disks },
    });
    await clock.advance(60_000);
  };
  const machine = () => world.admin.get(HYPERSDK_VMS, 'web', { namespace });
  const done = async (name: string, operation: string, spec: object = {}) => {
    await world.admin.create(OPERATIONS, {
      metadata: { name, namespace },
      spec: { vmRef: { name: 'web' }, operation: operation as 'start', ...spec },
    });
    for (let second = 0; second < 60; second++) {
      await clock.advance(1000);
      const { status } = await world.admin.get(OPERATIONS, name, { namespace });
      if (status?.completionTime !== undefined) return status;
    }
    throw new Error(
      `${name} is not over: ${JSON.stringify((await world.admin.get(OPERATIONS, name, { namespace })).status)}`,
    );
  };

  it('leave them waiting and report until when, and start them now by force', async () => {
    await grid(400);
    await make();
    expect((await machine()).status?.phase).toBe('Pending');
    const left = await done('start', 'start');
    expect(left).toMatchObject({
      phase: 'Succeeded',
      message: expect.stringMatching(
        /will start later: the carbon intensity of DE is 400 .* at the latest; .* force starts it now/,
      ) as string,
    });
    expect(left.conditions?.find(({ type }) => type === 'Succeeded')?.reason).toBe('WaitingForGreenEnergy');
    expect((await machine()).status?.phase).toBe('Pending');
    expect(await done('now', 'start', { force: true })).toMatchObject({
      phase: 'Succeeded',
      message: expect.stringContaining('running on node') as string,
    });
    expect((await machine()).status?.phase).toBe('Running');
    await done('halt', 'stop');
    await done('again', 'start');
    expect((await machine()).status?.phase).toBe('Pending');
    const { items } = await world.admin.list(EVENTS, { namespace });
    const told = items.filter(({ involvedObject }) => involvedObject.name === 'start');
    expect(told.map(({ type, reason }) => [type, reason])).toEqual([['Normal', 'WaitingForGreenEnergy']]);
  });

  it('do not let a VM wait again that they stop for a while', async () => {
    await grid(100);
    await make();
    expect((await machine()).status?.phase).toBe('Running');
    await done('keep', 'snapshot');
    await grid(400);
    for (const [name, operation, spec] of [
      ['cold', 'migrate', { migrateSpec: { live: false } }],
      ['back', 'restore', { restoreSpec: { snapshotName: 'keep' } }],
      ['reboot', 'restart', {}],
    ] as const) {
      const { uid } = (await world.admin.get(VMIS, 'web.hypersdk', { namespace })).metadata;
      expect((await done(name, operation, spec)).phase, name).toBe('Succeeded');
      const instance = await world.admin.get(VMIS, 'web.hypersdk', { namespace });
      expect(instance.metadata.uid).not.toBe(uid);
      expect(instance.status?.phase).toBe('Running');
    }
    await done('halt', 'stop');
    await done('again', 'start');
    expect((await machine()).status?.phase).toBe('Pending');
  });
});
