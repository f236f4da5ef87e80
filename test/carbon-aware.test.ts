import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import { VMIS } from '#api/kubevirt/resources';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import { timestamp } from '#platform/base/timestamp';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { EVENTS } from '#platform/kube/kinds/event';
import { NODES } from '#platform/kube/kinds/node';
import { isNotFound } from '#platform/kube/kube-error';
import { type Embedded, type EmbeddedOptions, startEmbedded } from '#programs/up/embedded';
import { type CarbonSettings, NO_CARBON } from '#vm/carbon/settings';

const HOUR = 3_600_000;
const MIDNIGHT = Date.UTC(2030, 0, 1);
const at = (hours: number) => timestamp(MIDNIGHT + hours * HOUR);
const namespace = 'default';

class World {
  readonly clock = new FakeClock({ start: MIDNIGHT });
  readonly log = createMemoryLogger(this.clock);
  #running!: Embedded;
  #settings: Partial<EmbeddedOptions> = {};

  get admin() {
    return this.#running.admin;
  }

  get metrics() {
    return this.#running.metrics;
  }

  async start(carbon: Partial<CarbonSettings>, settings: Partial<EmbeddedOptions> = {}): Promise<void> {
    this.#settings = { carbon: { ...NO_CARBON, ...carbon }, ...settings };
    await this.#start();
  }

  /** Stops everything and starts it again, with the objects on disk. */
  async restart(): Promise<void> {
    await this.stop();
    await this.#start();
  }

  async #start(): Promise<void> {
    this.#running = await startEmbedded({
      store: 'memory',
      dialects: ['hypersdk'],
      pools: [{ name: 'n', prefix: 'n-', count: 4 }],
      clock: this.clock,
      random: seededRandom('carbon'),
      log: this.log,
      signsOfLife: 'assumed',
      ...this.#settings,
    });
    await this.clock.advance(5000);
  }

  stop = () => this.#running.stop();

  /** Time series that the operator reads. */
  async grid(zones: Record<string, readonly (readonly [at: string, grams: number])[]>): Promise<void> {
    const rows = Object.entries(zones).map(([zone, points]) => [
      zone,
      { intensity: points.map(([time, grams]) => ({ at: time, grams })) },
    ]);
    const data = { 'grid.yaml': JSON.stringify({ zones: Object.fromEntries(rows) }) };
    const metadata = { name: 'vimana-carbon', namespace: 'vimana-system' };
    await this.admin.create(CONFIG_MAPS, { metadata, data }).catch((error: unknown) => {
      if (isNotFound(error)) throw error;
      return this.admin.patch(CONFIG_MAPS, metadata.name, { type: 'merge', body: { data } }, metadata);
    });
  }

  make = (name: string, carbonAware: object, spec: object = {}) =>
    this.admin.create(HYPERSDK_VMS, {
      metadata: { name, namespace },
      spec: { cpus: 2, memory: '4Gi', carbonAware: { enabled: true, ...carbonAware }, ...spec },
    });

  zone = (node: string, zone: string) =>
    this.admin.patch(NODES, node, {
      type: 'merge',
      body: { metadata: { labels: { 'topology.kubernetes.io/zone': zone } } },
    });

  edit = (name: string, spec: object) =>
    this.admin.patch(HYPERSDK_VMS, name, { type: 'merge', body: { spec } }, { namespace });

  /** Returns the events of a VM. */
  async told(name: string) {
    const { items } = await this.admin.list(EVENTS, { namespace });
    const about = items.filter(({ involvedObject }) => involvedObject.name === name);
    return about.map(({ type, reason }) => [type, reason]);
  }

  async status(name: string) {
    const { status } = await this.admin.get(HYPERSDK_VMS, name, { namespace });
    const condition = status?.conditions?.find(({ type }) => type === 'CarbonAware');
    return { phase: status?.phase, carbon: status?.carbon, carbonIntensity: status?.carbonIntensity, condition };
  }
}

const DIRTY_UNTIL_TWO = { DE: [['00:00', 400] as const, ['02:00', 120] as const, ['22:00', 400] as const] };

describe('a carbon-aware VM', () => {
  const world = { now: undefined as unknown as World };
  const started = async (
    carbon: Partial<CarbonSettings> = { provider: 'config-map' },
    settings: Partial<EmbeddedOptions> = {},
  ) => {
    world.now = new World();
    await world.now.start(carbon, settings);
    return world.now;
  };
  afterEach(() => world.now.stop());

  it('waits for the next green slot, starts at it, and records its decision', async () => {
    const here = await started();
    await here.grid(DIRTY_UNTIL_TWO);
    await here.make('web', { maxIntensity: 200, zone: 'DE' });
    await here.clock.advance(30_000);
    expect(await here.status('web')).toMatchObject({
      phase: 'Pending',
      carbonIntensity: 400,
      carbon: { zone: 'DE', intensityWhenAsked: 400, startAt: at(2) },
      condition: {
        status: 'False',
        reason: 'WaitingForGreenEnergy',
        message: expect.stringContaining('the next green slot begins at 2030-01-01T02:00Z (120 gCO2/kWh)'),
      },
    });
    await here.clock.advanceTo(MIDNIGHT + 2 * HOUR - 1000);
    expect((await here.admin.list(VMIS, { namespace })).items).toEqual([]);
    await here.clock.advance(20_000);
    expect(await here.status('web')).toMatchObject({
      phase: 'Running',
      carbonIntensity: 120,
      carbon: {
        zone: 'DE',
        intensityWhenAsked: 400,
        startedAt: expect.stringMatching(/T02:00/),
        intensityAtStart: 120,
      },
      condition: { status: 'True', reason: 'GreenEnergy' },
    });
    expect((await here.status('web')).carbon).not.toHaveProperty('startAt');
  });

  it('reports its wait as a normal Event', async () => {
    const here = await started();
    await here.grid(DIRTY_UNTIL_TWO);
    await here.make('web', { maxIntensity: 200, zone: 'DE' });
    await here.clock.advance(60_000);
    expect(await here.told('web')).toEqual([['Normal', 'WaitingForGreenEnergy']]);
  });

  it('continues its wait after a restart of everything, counted from its beginning', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'vimana-carbon-'));
    const here = await started({ provider: 'config-map' }, { dataDir, store: 'lmdb' });
    await here.grid({ DE: [['00:00', 400]] });
    await here.make('web', { maxIntensity: 200, zone: 'DE', maxDelay: '1h' });
    await here.clock.advance(40 * 60_000);
    const { carbon } = await here.status('web');
    await here.restart();
    await here.clock.advance(15 * 60_000);
    expect(await here.status('web')).toMatchObject({ phase: 'Pending', carbon });
    expect(await here.told('web')).toEqual([['Normal', 'WaitingForGreenEnergy']]);
    await here.clock.advance(6 * 60_000);
    // A write to disk takes real time, whatever the clock says.
    await expect.poll(async () => (await here.status('web')).condition?.reason).toBe('MaxDelayReached');
  });

  it('makes no writes while it waits for a known slot', async () => {
    const here = await started();
    await here.grid(DIRTY_UNTIL_TWO);
    await here.make('web', { maxIntensity: 200, zone: 'DE' });
    await here.clock.advance(2 * 60_000);
    const version = async () => (await here.admin.get(HYPERSDK_VMS, 'web', { namespace })).metadata.resourceVersion;
    const before = await version();
    await here.clock.advance(1.5 * HOUR);
    expect(await version()).toBe(before);
  });

  it('starts after its maximum delay, and reports that electricity was not clean', async () => {
    const here = await started();
    await here.grid({ DE: [['00:00', 400]] });
    await here.make('web', { maxIntensity: 200, zone: 'DE', maxDelay: '30m' });
    await here.clock.advance(29 * 60_000);
    expect((await here.status('web')).condition?.message).toContain('no green slot is forecast');
    await here.clock.advance(2 * 60_000);
    expect(await here.status('web')).toMatchObject({
      phase: 'Running',
      condition: { status: 'False', reason: 'MaxDelayReached' },
    });
  });

  it('is started by new data before the slot that it waited for', async () => {
    const here = await started();
    await here.grid(DIRTY_UNTIL_TWO);
    await here.make('web', { maxIntensity: 200, zone: 'DE' });
    await here.clock.advance(10 * 60_000);
    await here.grid({ DE: [['00:00', 90]] });
    await here.clock.advance(20_000);
    expect(await here.status('web')).toMatchObject({ phase: 'Running', carbonIntensity: 90 });
  });

  it('starts at once after a restart, and waits again after it was stopped', async () => {
    const here = await started();
    await here.grid({
      DE: [
        ['00:00', 400],
        ['00:10', 120],
        ['00:30', 400],
      ],
    });
    await here.clock.advanceTo(MIDNIGHT + HOUR / 4);
    await here.make('web', { maxIntensity: 200, zone: 'DE', maxDelay: '30h' });
    await here.clock.advance(60_000);
    expect((await here.status('web')).phase).toBe('Running');
    await here.clock.advanceTo(MIDNIGHT + HOUR);
    await here.admin.delete(VMIS, 'web.hypersdk', { namespace });
    await here.clock.advance(3 * 60_000);
    expect((await here.status('web')).phase).toBe('Running');
    await here.edit('web', { running: false });
    await here.clock.advance(60_000);
    expect(await here.status('web')).toEqual({
      phase: 'Stopped',
      carbon: undefined,
      carbonIntensity: undefined,
      condition: undefined,
    });
    await here.edit('web', { running: true });
    await here.clock.advance(60_000);
    expect(await here.status('web')).toMatchObject({
      phase: 'Pending',
      condition: { reason: 'WaitingForGreenEnergy' },
      carbon: { startAt: at(24 + 1 / 6) },
    });
  });

  it('starts without a provider or data, with a condition that says so', async () => {
    const here = await started({});
    await here.make('web', { maxIntensity: 200, zone: 'DE' });
    await here.clock.advance(10_000);
    expect(await here.status('web')).toMatchObject({
      phase: 'Running',
      condition: { status: 'Unknown', reason: 'NoProvider', message: expect.stringContaining('--carbon-provider') },
    });
    await here.stop();
    const other = await started();
    await other.make('web', { maxIntensity: 200, zone: 'DE' });
    await other.clock.advance(10_000);
    expect(await other.status('web')).toMatchObject({
      phase: 'Running',
      condition: {
        status: 'Unknown',
        reason: 'NoCarbonData',
        message: expect.stringContaining('no ConfigMap vimana-carbon'),
      },
    });
  });

  it('waits for data if the operator is configured to, and starts when they arrive', async () => {
    const here = await started({ provider: 'config-map', withoutData: 'wait' });
    await here.make('web', { maxIntensity: 200, zone: 'DE' });
    await here.clock.advance(60_000);
    expect(await here.status('web')).toMatchObject({ phase: 'Pending', condition: { reason: 'NoCarbonData' } });
    await here.grid({ DE: [['00:00', 90]] });
    await here.clock.advance(30_000);
    expect((await here.status('web')).phase).toBe('Running');
  });

  it('is scheduled where electricity is cleanest, by node labels', async () => {
    const here = await started({
      provider: 'static',
      table: new Map([
        ['SE', 30],
        ['DE', 350],
        ['PL', 620],
      ]),
      zoneMap: new Map([['eu-central', 'DE']]),
    });
    const label = (node: string, labels: object) =>
      here.admin.patch(NODES, node, { type: 'merge', body: { metadata: { labels } } });
    await label('n-1', { 'topology.kubernetes.io/zone': 'PL' });
    await label('n-2', { 'topology.kubernetes.io/zone': 'eu-central' });
    await label('n-3', { 'vimana.io/grid-zone': 'SE', 'topology.kubernetes.io/zone': 'PL' });
    await label('n-4', { 'topology.kubernetes.io/zone': 'PL' });
    await here.clock.advance(1000);
    for (const name of ['a', 'b', 'c']) await here.make(name, {});
    await here.clock.advance(60_000);
    const { items } = await here.admin.list(VMIS, { namespace });
    expect(items.map(({ status }) => status?.nodeName)).toEqual(['n-3', 'n-3', 'n-3']);
    expect(items[0]?.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution).toEqual([
      {
        weight: 95,
        preference: { matchExpressions: [{ key: 'vimana.io/grid-zone', operator: 'In', values: ['SE'] }] },
      },
      {
        weight: 44,
        preference: {
          matchExpressions: [
            { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['eu-central'] },
            { key: 'vimana.io/grid-zone', operator: 'NotIn', values: ['SE'] },
          ],
        },
      },
    ]);
    expect(await here.status('a')).toMatchObject({
      carbonIntensity: 30,
      condition: { status: 'True', reason: 'NoLimit' },
    });
  });

  it('runs and counts in the zone that it names and has waited for, even if another is cleaner', async () => {
    const here = await started();
    await here.grid({ ...DIRTY_UNTIL_TWO, PL: [['00:00', 650]], SE: [['00:00', 30]] });
    const zones = ['PL', 'DE', 'SE', 'SE'];
    for (const [i, zone] of zones.entries()) await here.zone(`n-${i + 1}`, zone);
    await here.make('slot', { zone: 'DE', maxIntensity: 200 });
    await here.make('delay', { zone: 'PL', maxIntensity: 200, maxDelay: '15m' });
    await here.clock.advanceTo(MIDNIGHT + 2 * HOUR + 60_000);
    await here.metrics.text();
    await here.clock.advance(HOUR);
    const { items } = await here.admin.list(VMIS, { namespace });
    expect(items.map(({ metadata, status }) => [metadata.name, status?.nodeName])).toEqual([
      ['delay.hypersdk', 'n-1'],
      ['slot.hypersdk', 'n-2'],
    ]);
    expect(await here.status('slot')).toMatchObject({ carbonIntensity: 120, carbon: { zone: 'DE' } });
    expect(await here.status('delay')).toMatchObject({ carbonIntensity: 650, carbon: { zone: 'PL' } });
    const saved = [...(await here.metrics.text()).matchAll(/^vimana_carbon_saved_grams\{.*zone="(.*)"\} (.*)$/gm)];
    expect(saved.map(([, zone, grams]) => [zone, Number(grams) > 0.1])).toEqual([
      ['PL', false],
      ['DE', true],
    ]);
    // A larger VM needs a larger launcher and migrates. It would stay in the zone if there were another node.
    await here.edit('slot', { cpus: 3 });
    await here.clock.advance(60_000);
    const { spec } = await here.admin.get(VMIS, 'slot.hypersdk', { namespace });
    expect(spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.[0]?.weight).toBe(100);
  });

  it('counts where it was scheduled, and saves nothing by waiting for another zone', async () => {
    const here = await started();
    await here.grid({ ...DIRTY_UNTIL_TWO, SE: [['00:00', 30]] });
    for (const node of ['n-1', 'n-2', 'n-3', 'n-4']) await here.zone(node, 'SE');
    await here.make('web', { zone: 'DE', maxIntensity: 200 });
    await here.clock.advanceTo(MIDNIGHT + 2 * HOUR + 60_000);
    await here.metrics.text();
    await here.clock.advance(HOUR);
    const { carbon, carbonIntensity } = await here.status('web');
    expect([carbon?.zone, carbonIntensity, carbon?.intensityWhenAsked]).toEqual(['SE', 30, undefined]);
    const text = await here.metrics.text();
    expect(text).toContain('vimana_carbon_emissions_grams_total{namespace="default",zone="SE"}');
    expect(text).not.toContain('vimana_carbon_saved_grams{');
  });

  it('has metrics for waiting VMs, emissions and savings', async () => {
    const here = await started();
    await here.grid(DIRTY_UNTIL_TWO);
    await here.make('web', { maxIntensity: 200, zone: 'DE' });
    await here.admin.patch(NODES, 'n-1', {
      type: 'merge',
      body: { metadata: { labels: { 'vimana.io/grid-zone': 'DE' } } },
    });
    await here.edit('web', { nodeSelector: { 'vimana.io/grid-zone': 'DE' } });
    await here.clock.advance(60_000);
    expect(await here.metrics.text()).toContain('vimana_carbon_waiting_vms{zone="DE"} 1');
    await here.clock.advanceTo(MIDNIGHT + 2 * HOUR + 30_000);
    await here.metrics.text();
    await here.clock.advance(HOUR);
    const text = await here.metrics.text();
    const value = (name: string) => Number(new RegExp(`^${name}\\{.*\\} (.*)$`, 'm').exec(text)?.[1]);
    const watts = value('vimana_vm_power_watts');
    expect(watts).toBeGreaterThan(2);
    expect(value('vimana_carbon_intensity_grams_per_kilowatthour')).toBe(120);
    expect(value('vimana_carbon_emissions_grams_total')).toBeCloseTo((watts / 1000) * 120, 1);
    expect(value('vimana_carbon_saved_grams')).toBeCloseTo((watts / 1000) * 280, 1);
    expect(text).toContain('# TYPE vimana_carbon_emissions_grams_total counter');
    expect(text).not.toContain('vimana_carbon_waiting_vms{');
  });
});
