import { describe, expect, it } from 'vitest';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { timestamp } from '#platform/base/timestamp';
import { assessCarbon, type CarbonInput } from './assess-carbon.ts';
import type { GridPlace } from './grid-places.ts';
import type { ZoneReading } from './intensity-cache.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-16T00:00:00Z');
const at = (hours: number) => timestamp(NOW + hours * HOUR);
const known = (...levels: number[]): ZoneReading => ({
  slots: levels.map((intensity, i) => ({ from: NOW + i * HOUR, to: NOW + (i + 1) * HOUR, intensity })),
});
const place = (zone: string, value: string): GridPlace => ({ zone, label: 'topology.kubernetes.io/zone', value });
const SPEC = { enabled: true, maxIntensity: 200, preferGreenEnergy: true, zone: 'DE', maxDelay: '4h' };
const grids: Record<string, ZoneReading> = { DE: known(310, 180), FR: known(50), PL: known(620), SE: known(31) };
const input = (more: Partial<CarbonInput> = {}): CarbonInput => ({
  spec: SPEC,
  status: undefined,
  grid: (zone) => grids[zone] ?? { slots: [], problem: `no zone ${zone}` },
  places: [],
  here: undefined,
  defaultZone: undefined,
  withoutData: 'start',
  now: NOW,
  ...more,
});

describe('the assessment of a VM by the carbon intensity', () => {
  it('is a wait, recorded with the intensity at its beginning', () => {
    const reading = assessCarbon(input());
    expect(reading).toMatchObject({
      condition: { status: 'False', reason: 'WaitingForGreenEnergy' },
      waits: { reason: 'WaitingForGreenEnergy', until: NOW + HOUR },
      intensity: 310,
      record: { zone: 'DE', waitingSince: at(0), intensityWhenAsked: 310, startAt: at(1) },
    });
    const later = assessCarbon(input({ status: { carbon: reading.record! }, now: NOW + 0.5 * HOUR }));
    expect(later.record).toEqual(reading.record);
  });

  it('is a start once electricity is clean, and the wait stays recorded', () => {
    const carbon = { zone: 'DE', waitingSince: at(0), intensityWhenAsked: 310, startAt: at(1) };
    expect(assessCarbon(input({ status: { carbon }, now: NOW + HOUR }))).toMatchObject({
      condition: { status: 'True', reason: 'GreenEnergy' },
      intensity: 180,
      record: { waitingSince: at(0), intensityWhenAsked: 310 },
    });
  });

  it('ends with the first start: a restart does not wait', () => {
    const status: VirtualMachine['status'] = {
      carbon: { zone: 'DE', startedAt: at(-1) },
      conditions: [{ type: 'CarbonAware', status: 'True', reason: 'GreenEnergy', message: 'clean' }],
    };
    expect(assessCarbon(input({ status }))).toEqual({
      condition: { status: 'True', reason: 'GreenEnergy', message: 'clean' },
      intensity: 310,
      record: status.carbon,
    });
    expect(assessCarbon(input({ status, grid: undefined }))).toMatchObject({ record: status.carbon });
  });

  it('is a short wait for the first response, and none after that', () => {
    const grid = () => ({ slots: [], requestedSince: NOW });
    expect(assessCarbon(input({ grid }))).toMatchObject({
      waits: { reason: 'AskingForCarbonData', until: NOW + 30_000 },
    });
    expect(assessCarbon(input({ grid, now: NOW + 30_000 }))).not.toHaveProperty('waits');
  });

  it('counts the longest wait from when the VM should start, even if it waits only for a response', () => {
    const unheard = () => ({ slots: [], requestedSince: NOW - 1000 });
    const asking = input({ grid: unheard, spec: { ...SPEC, maxDelay: '12s' }, requestedAt: NOW - 5000 });
    expect(assessCarbon(asking)).toMatchObject({ waits: { reason: 'AskingForCarbonData', until: NOW + 7000 } });
    expect(assessCarbon({ ...asking, now: NOW + 7000 })).not.toHaveProperty('waits');
    expect(assessCarbon({ ...asking, now: NOW + 7000, withoutData: 'wait' })).toMatchObject({
      condition: { reason: 'MaxDelayReached' },
    });
    expect(assessCarbon(input({ requestedAt: NOW - 5000 })).record).toMatchObject({ waitingSince: at(-5 / 3600) });
  });

  it('is still the same wait after a restart of the operator before any data is fetched', () => {
    const carbon = { zone: 'DE', waitingSince: at(-1), intensityWhenAsked: 400, startAt: at(1) };
    const said = { status: 'False', reason: 'WaitingForGreenEnergy', message: 'wait' } as const;
    const status = { carbon, conditions: [{ type: 'CarbonAware', ...said }] };
    expect(assessCarbon(input({ status, grid: () => ({ slots: [], requestedSince: NOW }) }))).toMatchObject({
      condition: said,
      record: carbon,
    });
  });

  it.each([
    ['there is no provider', { grid: undefined }, 'NoProvider'],
    ['no zone is known', { spec: { enabled: true, preferGreenEnergy: true, maxDelay: '4h' } }, 'NoZone'],
    ['the provider has failed', { spec: { ...SPEC, zone: 'XX' } }, 'NoCarbonData'],
  ])('is a start with a condition that explains it: %s', (_what, more, reason) => {
    const reading = assessCarbon(input(more));
    expect(reading).toMatchObject({ condition: { status: 'Unknown', reason } });
    expect(reading.waits).toBeUndefined();
  });

  it('uses the zone of the node, else the one the VM names, else the cleanest of all nodes, else the default', () => {
    const { zone: _, ...spec } = SPEC;
    const places = [place('PL', 'waw-1'), place('SE', 'sto-1')];
    const intensity = (more: Partial<CarbonInput>) => assessCarbon(input({ places, ...more })).intensity;
    expect(intensity({ defaultZone: 'FR', here: place('PL', 'waw-1') })).toBe(620);
    expect(intensity({ defaultZone: 'FR' })).toBe(310);
    expect(intensity({ spec, defaultZone: 'FR' })).toBe(31);
    expect(intensity({ spec, defaultZone: 'FR', places: [] })).toBe(50);
    expect(intensity({ spec, defaultZone: 'FR', places: [place('XX', 'nowhere')] })).toBe(50);
    expect(intensity({ spec: { ...spec, preferGreenEnergy: false }, defaultZone: 'FR' })).toBe(50);
    expect(intensity({ spec: { ...spec, preferGreenEnergy: false } })).toBe(31);
  });

  const places = [place('PL', 'waw-1'), place('SE', 'sto-1'), place('SE', 'sto-2'), place('DE', 'fra-1')];
  const preferred = (more: object) => {
    const reading = assessCarbon(input({ places, spec: { ...SPEC, maxIntensity: 900, ...more } }));
    return reading.preferred?.map(({ weight, preference }) => [weight, preference.matchExpressions?.[0]?.values]);
  };

  it('prefers nodes by what their zone saves against the dirtiest', () => {
    const cleanest = [
      [95, ['sto-1', 'sto-2']],
      [50, ['fra-1']],
    ];
    expect(preferred({ zone: undefined })).toEqual(cleanest);
    expect(preferred({ zone: 'FR' })).toEqual(cleanest);
    expect(preferred({ zone: undefined, preferGreenEnergy: false })).toBeUndefined();
  });

  it('strongly prefers nodes of the zone that the VM names, however clean others are', () => {
    expect(preferred({ zone: 'PL' })).toEqual([
      [100, ['waw-1']],
      [24, ['sto-1', 'sto-2']],
      [13, ['fra-1']],
    ]);
    expect(preferred({ zone: 'PL', preferGreenEnergy: false })).toEqual([[100, ['waw-1']]]);
  });

  it('prefers them for a waiting VM as well, because a user may start it anyway', () => {
    expect(preferred({ zone: 'PL', maxIntensity: 1 })?.[0]).toEqual([100, ['waw-1']]);
    const asking = input({ places, spec: { ...SPEC, zone: 'PL' }, grid: () => ({ slots: [], requestedSince: NOW }) });
    expect(assessCarbon(asking)).toMatchObject({ waits: { transient: true }, preferred: [{ weight: 100 }] });
  });

  it('prefers no node by a label that another one overrules', () => {
    const own: GridPlace = { zone: 'SE', label: 'vimana.io/grid-zone', value: 'SE' };
    const reading = assessCarbon(input({ places: [...places, own], spec: { ...SPEC, zone: 'PL', maxIntensity: 900 } }));
    expect(reading.preferred?.[0]?.preference.matchExpressions).toEqual([
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['waw-1'] },
      { key: 'vimana.io/grid-zone', operator: 'NotIn', values: ['SE'] },
    ]);
  });

  it('prefers the same nodes when the VM is scheduled again, and the named ones while it has a node', () => {
    const status = { carbon: { zone: 'DE', startedAt: at(-1) } };
    const weights = (more: Partial<CarbonInput>) =>
      assessCarbon(input({ places, status, ...more })).preferred?.map((each) => each.weight);
    expect(weights({})).toEqual([100, 24]);
    expect(weights({ here: place('PL', 'waw-1') })).toEqual([100]);
    expect(weights({ here: place('PL', 'waw-1'), spec: { ...SPEC, zone: undefined } as never })).toBeUndefined();
  });

  it('uses the zone of the node that the VM was scheduled to, even if it waited for another', () => {
    const carbon = {
      zone: 'DE',
      waitingSince: at(-2),
      startedAt: at(-1),
      intensityWhenAsked: 400,
      intensityAtStart: 50,
    };
    const status = { carbon, carbonIntensity: 50 };
    expect(assessCarbon(input({ status, here: place('DE', 'fra-1') }))).toMatchObject({
      intensity: 310,
      record: carbon,
    });
    expect(assessCarbon(input({ status, here: place('PL', 'waw-1') }))).toMatchObject({
      intensity: 620,
      record: { zone: 'PL', waitingSince: at(-2), startedAt: at(-1) },
    });
    expect(assessCarbon(input({ status, here: place('PL', 'waw-1') })).record).not.toHaveProperty('intensityWhenAsked');
    const unheard = () => ({ slots: [], requestedSince: NOW });
    expect(assessCarbon(input({ status, here: place('PL', 'waw-1'), grid: unheard })).intensity).toBeUndefined();
  });

  it('continues a wait in another zone if that one applies by now', () => {
    const { zone: _, ...spec } = { ...SPEC, maxIntensity: 20 };
    const carbon = { zone: 'PL', waitingSince: at(-1), intensityWhenAsked: 620 };
    expect(assessCarbon(input({ spec, places, status: { carbon } })).record).toMatchObject({
      zone: 'SE',
      waitingSince: at(-1),
      intensityWhenAsked: 31,
    });
  });

  it('keeps the reported intensity until the first response, and drops it if there can be none', () => {
    const status = { carbonIntensity: 300, carbon: { startedAt: at(-1) } };
    expect(assessCarbon(input({ status, grid: () => ({ slots: [], requestedSince: NOW }) })).intensity).toBe(300);
    expect(assessCarbon(input({ status, grid: () => ({ slots: [], problem: 'gone' }) })).intensity).toBeUndefined();
  });

  it('is reported again only after the intensity has changed by five percent', () => {
    const status = { carbonIntensity: 300, carbon: { startedAt: at(-1) } };
    expect(assessCarbon(input({ status })).intensity).toBe(300);
    expect(assessCarbon(input({ status: { ...status, carbonIntensity: 200 } })).intensity).toBe(310);
  });
});
