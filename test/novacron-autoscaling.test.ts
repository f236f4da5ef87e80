import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VM_POOLS } from '#api/novacron/resources';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import { CONFIG_MAPS, NAMESPACES } from '#platform/kube/kinds/core';
import { resourceType } from '#platform/kube/kinds/resource-type';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Embedded, startEmbedded } from '#programs/up/embedded';

const EVENTS = resourceType<KubeObject & { readonly reason?: string; readonly message?: string }>(
  'v1',
  'Event',
  'events',
);

/** Load arrives at a pool and is shared by its ready VMs, so that scaling has an effect. */
describe('an autoscaled pool', () => {
  let clock: FakeClock;
  let running: Embedded;
  let namespace = '';
  let tests = 0;
  beforeAll(async () => {
    clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
    running = await startEmbedded({
      store: 'memory',
      dialects: ['novacron'],
      pools: [{ name: 'n', prefix: 'n-', count: 5 }],
      clock,
      random: seededRandom('autoscaling'),
      log: createMemoryLogger(clock),
      defaultImage: 'marketplace://debian-12',
    });
    await clock.advance(5000);
  });
  afterAll(() => running.stop());
  beforeEach(async () => {
    namespace = `test-${++tests}`;
    await running.admin.create(NAMESPACES, { metadata: { name: namespace } });
    await clock.advance(1000);
  });

  const cpu = { type: 'cpu', targetAverageUtilization: 50 };
  const pool = () => running.admin.get(VM_POOLS, 'web', { namespace });
  const condition = async (type: string) => (await pool()).status?.conditions?.find((each) => each.type === type);
  const advance = async (seconds: number) => {
    for (let i = 0; i < seconds; i += 5) await clock.advance(5000);
  };
  const history = async () => {
    const { data = {} } = await running.admin.get(CONFIG_MAPS, 'web-history', { namespace });
    return JSON.parse(data['history.json'] ?? '') as { steps: object; scale: { changes: object[] }; demand: object };
  };

  async function make(demand: string, autoscaling: object = {}, spec: object = {}) {
    await running.admin.create(VM_POOLS, {
      metadata: { name: 'web', namespace },
      spec: {
        replicas: 2,
        minReplicas: 2,
        maxReplicas: 10,
        template: {
          metadata: { annotations: { 'vimana.io/cpu-demand': demand } },
          spec: { resources: { cpu: 1, memory: '1Gi', disk: '1Gi' } },
        },
        autoscaling: { enabled: true, metrics: [cpu], ...autoscaling },
        ...spec,
      },
    });
    await advance(30);
  }

  it('grows and shrinks with its load, and never changes its spec', async () => {
    // Six of 10 VMs of one CPU are half used by three CPUs in the first hour, and two later.
    await make('trace 0s:3 1h:3 1h5m:1 23h:1');
    await advance(600);
    expect((await pool()).status).toMatchObject({ desiredReplicas: 6, replicas: 6, readyReplicas: 6 });
    expect((await pool()).spec.replicas).toBe(2);
    expect(await condition('ScalingActive')).toMatchObject({ status: 'True', reason: 'ValidMetricFound' });
    const events = (await running.admin.list(EVENTS, { namespace })).items;
    expect(events.findLast(({ reason }) => reason === 'SuccessfulRescale')?.message).toMatch(
      /^New size: [56]; reason: cpu above target$/,
    );
    expect((await history()).steps).toMatchObject({ metrics: [{ metric: 'cpu', target: '50%' }], replicas: 6 });
    const { resourceVersion } = (await pool()).metadata;
    await advance(600);
    expect((await pool()).metadata.resourceVersion).toBe(resourceVersion);
    await advance(3600);
    expect((await pool()).status).toMatchObject({ desiredReplicas: 2, replicas: 2 });
    expect(await condition('ScalingLimited')).toMatchObject({ status: 'False', reason: 'DesiredWithinRange' });
  });

  it('stays within its bounds and reports them', async () => {
    await make('constant 9');
    await advance(300);
    expect((await pool()).status).toMatchObject({ desiredReplicas: 10, replicas: 10 });
    expect(await condition('ScalingLimited')).toMatchObject({ status: 'True', reason: 'TooManyReplicas' });
  });

  it('follows its policies', async () => {
    const policies = [{ type: 'Pods', value: 1, periodSeconds: 60 }];
    await make('constant 5', { behavior: { scaleUp: { policies } } });
    const sizes: number[] = [];
    for (let i = 0; i < 4; i++) {
      sizes.push((await pool()).status?.desiredReplicas ?? 0);
      await advance(60);
    }
    for (const [i, size] of sizes.entries()) if (i > 0) expect(size - (sizes[i - 1] ?? 0)).toBe(1);
    expect(await condition('ScalingLimited')).toMatchObject({ status: 'True', reason: 'ScaleUpLimit' });
  });

  it('does not shrink while a metric cannot be read', async () => {
    const custom = { type: 'custom', metric: { name: 'requests_per_second' }, targetValue: '100' };
    await make('constant 0.1', { metrics: [cpu, custom] }, { replicas: 4 });
    await advance(900);
    expect((await pool()).status).toMatchObject({ desiredReplicas: 4 });
    expect(await condition('ScalingActive')).toMatchObject({
      status: 'False',
      reason: 'FailedGetMetrics',
      message: expect.stringContaining('1 of 2 metrics cannot be read'),
    });
    const events = (await running.admin.list(EVENTS, { namespace })).items;
    expect(events.filter(({ reason }) => reason === 'FailedGetMetrics')).toHaveLength(1);
  });

  it('leaves a ConfigMap of somebody else alone', async () => {
    await running.admin.create(CONFIG_MAPS, { metadata: { name: 'web-history', namespace }, data: { mine: 'yes' } });
    await make('constant 3');
    await advance(300);
    expect((await pool()).status).toMatchObject({ desiredReplicas: 6 });
    expect((await running.admin.get(CONFIG_MAPS, 'web-history', { namespace })).data).toEqual({ mine: 'yes' });
  });
});
