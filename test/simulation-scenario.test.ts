import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SIMULATED_VMS } from '#fleet/library/simulated-vm';
import { PLAYED_LABEL } from '#fleet/simulation/runner/played-label';
import { SCENARIOS, type ScenarioObject } from '#fleet/simulation/runner/scenario';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger, type MemoryLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import { NODES } from '#platform/kube/kinds/node';
import { type Embedded, startEmbedded } from '#programs/up/embedded';

const namespace = 'default';
let clock: FakeClock;
let log: MemoryLogger;
let world: Embedded;
beforeEach(async () => {
  clock = new FakeClock({ start: Date.UTC(2030, 0, 1, 9, 30) });
  log = createMemoryLogger(clock);
  world = await startEmbedded({
    store: 'memory',
    dialects: ['simulation'],
    pools: [{ name: 'there', prefix: 'there-', count: 1 }],
    clock,
    random: seededRandom('scenario'),
    log,
  });
  await clock.advance(5000);
});
afterEach(() => world.stop());

const apply = (spec: object) =>
  world.admin.create(SCENARIOS, { metadata: { name: 'play', namespace }, spec }, { namespace });
const scenario = (): Promise<ScenarioObject> => world.admin.get(SCENARIOS, 'play', { namespace });
const edit = (spec: object) => world.admin.patch(SCENARIOS, 'play', { type: 'merge', body: { spec } }, { namespace });
const machines = async () =>
  (await world.admin.list(SIMULATED_VMS, { namespace })).items.map(({ metadata }) => metadata.name).toSorted();
const nodes = async () => (await world.admin.list(NODES)).items.map(({ metadata }) => metadata.name ?? '').toSorted();
const GROW = { action: 'scale', pool: 'web', count: 2 };
const pool = { name: 'web', count: 2, resources: { cpu: '2', memory: '4Gi' } };

describe('a SimulationScenario on a running cluster', () => {
  it('runs at its speed, and reports its progress', async () => {
    await apply({
      duration: '10m',
      timeScale: 60,
      nodes: [{ name: 'own', count: 2 }],
      vmPools: [pool],
      timeline: [
        { at: '5m', action: 'scale', pool: 'web', count: 4 },
        { at: '6m', action: 'addNodes', nodeGroup: 'own', count: 1 },
      ],
    });
    await clock.advance(4000);
    expect(await nodes()).toEqual(['own-1', 'own-2', 'there-1']);
    expect(await machines()).toEqual(['web-1', 'web-2']);
    expect((await scenario()).status).toMatchObject({
      phase: 'Running',
      startTime: '2030-01-01T09:30:05Z',
      currentSimulatedTime: expect.stringMatching(/^2030-01-01T00:0[34]:/),
      elapsedSimulatedTime: expect.stringMatching(/^3m/),
      nodes: 3,
      vms: 2,
      runningVMs: 2,
      pendingVMs: 0,
      appliedEvents: 0,
    });
    await clock.advance(10_000);
    const { status } = await scenario();
    expect(status).toMatchObject({
      phase: 'Completed',
      elapsedSimulatedTime: '10m0s',
      elapsedRealTime: '10s',
      vms: 4,
      runningVMs: 4,
      appliedEvents: 2,
    });
    expect(status?.conditions?.find(({ type }) => type === 'Completed')?.status).toBe('True');
    expect(await nodes()).toEqual(['own-1', 'own-2', 'own-3', 'there-1']);
    expect(log.entries.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  it('stops while it is paused, by its timeline or by hand, and continues where it was', async () => {
    await apply({ duration: '10m', timeScale: 60, vmPools: [pool], timeline: [{ at: '3m', action: 'pause' }] });
    await clock.advance(20_000);
    expect(await scenario()).toMatchObject({
      spec: { paused: true },
      status: { phase: 'Paused', elapsedSimulatedTime: '3m0s', appliedEvents: 1 },
    });
    await edit({ paused: false, timeScale: 30 });
    await clock.advance(2500);
    expect((await scenario()).status).toMatchObject({
      phase: 'Running',
      elapsedSimulatedTime: expect.stringMatching(/^4m/),
    });
    await edit({ paused: true });
    await clock.advance(60_000);
    expect((await scenario()).status).toMatchObject({
      phase: 'Paused',
      elapsedSimulatedTime: expect.stringMatching(/^4m/),
    });
    await edit({ paused: false });
    await clock.advance(12_000);
    expect((await scenario()).status?.phase).toBe('Completed');
  });

  it('deletes its VMs and nodes when it is deleted', async () => {
    await apply({ duration: '1h', nodes: [{ name: 'own' }], vmPools: [pool] });
    await clock.advance(3000);
    expect(await machines()).toHaveLength(2);
    await world.admin.delete(SCENARIOS, 'play', { namespace });
    await clock.advance(10_000);
    expect(await machines()).toEqual([]);
    expect(await nodes()).toEqual(['there-1']);
  });

  it('lets nodes fail and recover, and VMs move', async () => {
    await apply({
      duration: '30m',
      timeScale: 1,
      nodes: [{ name: 'own', count: 3 }],
      vmPools: [pool],
      timeline: [
        { at: '1m', action: 'migrate', vm: 'web-1', targetNode: 'own-3' },
        { at: '2m', action: 'failNodes', nodes: ['own-1', 'own-2'] },
        { at: '8m', action: 'recoverNodes', nodes: ['own-1'] },
      ],
    });
    const home = async (name: string) => (await world.admin.get(SIMULATED_VMS, name, { namespace })).status?.nodeName;
    await clock.advance(90_000);
    expect(await home('web-1')).toBe('own-3');
    expect((await scenario()).status?.migrations).toBe(1);
    await clock.advance(360_000);
    expect((await scenario()).status).toMatchObject({ nodes: 2, runningVMs: 2 });
    expect(await home('web-1')).toBe('own-3');
    expect(['own-3', 'there-1']).toContain(await home('web-2'));
    await clock.advance(120_000);
    expect((await scenario()).status?.nodes).toBe(3);
    await world.stop();
    expect(clock.pending).toBe(0);
  });

  it('reports commands that fail', async () => {
    await world.admin.create(
      SIMULATED_VMS,
      { metadata: { name: 'web-2', namespace }, spec: { resources: { cpu: '1', memory: '1Gi' } } },
      { namespace },
    );
    await apply({ duration: '1h', vmPools: [{ ...pool, count: 1 }], timeline: [{ at: '10s', ...GROW }] });
    await clock.advance(13_000);
    expect((await scenario()).status).toMatchObject({
      phase: 'Running',
      message: expect.stringContaining('web-2'),
    });
  });

  it('does not run if nodes or VMs of another one have its names', async () => {
    const second = (spec: object) =>
      world.admin.create(SCENARIOS, { metadata: { name: 'second', namespace }, spec }, { namespace });
    await apply({ duration: '1h', nodes: [{ name: 'own', count: 2 }], vmPools: [pool] });
    await second({ duration: '1h', nodes: [{ name: 'own' }, { name: 'more' }] });
    await clock.advance(3000);
    expect((await scenario()).status?.phase).toBe('Running');
    const refused = async () => (await world.admin.get(SCENARIOS, 'second', { namespace })).status;
    expect(await refused()).toMatchObject({ phase: 'Failed', message: expect.stringContaining('own-1') });
    expect(await nodes()).toEqual(['own-1', 'own-2', 'there-1']);
    await world.admin.delete(SCENARIOS, 'second', { namespace });
    await clock.advance(3000);
    await second({ duration: '1h', nodes: [{ name: 'there' }], vmPools: [{ ...pool, count: 3 }] });
    await clock.advance(3000);
    const message = 'node there-1, VM web-1 of scenario default/play, VM web-2 of scenario';
    expect(await refused()).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining(message),
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Failed', status: 'True', message: expect.stringContaining(message) }),
      ]),
    });
    expect(await machines()).toEqual(['web-1', 'web-2']);
    expect(await nodes()).toEqual(['own-1', 'own-2', 'there-1']);
  });

  it('runs when it is recreated at once', async () => {
    const spec = { duration: '1h', nodes: [{ name: 'own' }], vmPools: [pool] };
    await apply(spec);
    await clock.advance(3000);
    await world.admin.delete(SCENARIOS, 'play', { namespace });
    await apply(spec);
    await clock.advance(60_000);
    expect((await scenario()).status).toMatchObject({ phase: 'Running', nodes: 2, runningVMs: 2 });
  });
});

it('nodes of scenarios do not outlive the process that runs them', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'vimana-scenario-'));
  const start = () =>
    startEmbedded({
      ...{ store: 'lmdb' as const, dataDir, dialects: ['simulation' as const], pools: [], clock, log },
      random: seededRandom('again'),
    });
  try {
    const first = await start();
    const spec = { duration: '1h', nodes: [{ name: 'own' }], vmPools: [pool] };
    await first.admin.create(SCENARIOS, { metadata: { name: 'play', namespace }, spec }, { namespace });
    // A write to disk takes time that the clock does not measure.
    const phase = async ({ admin }: Embedded) => {
      await clock.advance(500);
      return (await admin.get(SCENARIOS, 'play', { namespace })).status?.phase;
    };
    await expect.poll(() => phase(first)).toBe('Running');
    expect((await first.admin.list(NODES)).items).toMatchObject([
      { metadata: { name: 'own-1', labels: { [PLAYED_LABEL]: 'play' } } },
    ]);
    await first.stop();
    const second = await start();
    await expect.poll(() => phase(second)).toBe('Failed');
    expect((await second.admin.list(NODES)).items).toEqual([]);
    await second.stop();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
