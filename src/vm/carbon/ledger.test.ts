import { describe, expect, it } from 'vitest';
import { CarbonLedger, type Emitter } from './ledger.ts';
import { DEFAULT_POWER, gramsOf, wattsOf } from './power-model.ts';
import type { Slot } from './slot.ts';

const HOUR = 3_600_000;
const slots: Slot[] = [300, 100, 50].map((intensity, i) => ({ from: i * HOUR, to: (i + 1) * HOUR, intensity }));
const machine: Emitter = { namespace: 'default', zone: 'DE', watts: 1000, since: 0 };
const grams = (entries: Iterable<{ grams: number }>) => [...entries].map((entry) => entry.grams);

describe('the power of a VM', () => {
  it('lies between idle and busy, with memory and the building on top', () => {
    const size = { cpus: 4, memoryGib: 8 };
    expect(wattsOf({ ...size, load: 0 }, DEFAULT_POWER)).toBeCloseTo((4 * 0.74 + 8 * 0.392) * 1.2);
    expect(wattsOf({ ...size, load: 1 }, DEFAULT_POWER)).toBeCloseTo((4 * 3.5 + 8 * 0.392) * 1.2);
    expect(wattsOf(size, DEFAULT_POWER)).toBeCloseTo(wattsOf({ ...size, load: 0.5 }, DEFAULT_POWER));
    expect(wattsOf({ ...size, load: 7 }, DEFAULT_POWER)).toBe(wattsOf({ ...size, load: 1 }, DEFAULT_POWER));
  });

  it('of a kilowatt for an hour emits the intensity of a kilowatt-hour', () => {
    expect(gramsOf(1000, HOUR, 420)).toBe(420);
  });
});

describe('the ledger of emissions', () => {
  it('counts by the intensity of each hour, however rarely it is read', () => {
    const [often, once] = [new CarbonLedger(0), new CarbonLedger(0)];
    for (let at = 0; at <= 3 * HOUR; at += HOUR / 4) often.advance(at, [machine], () => slots);
    once.advance(3 * HOUR, [machine], () => slots);
    expect(grams(once.emitted)[0]).toBeCloseTo(450);
    expect(grams(often.emitted)[0]).toBeCloseTo(450);
  });

  it('counts a VM from its start to its deletion', () => {
    const ledger = new CarbonLedger(0);
    ledger.advance(HOUR, [{ ...machine, since: HOUR / 2 }], () => slots);
    ledger.advance(2 * HOUR, [], () => slots);
    expect(grams(ledger.emitted)[0]).toBeCloseTo(150);
  });

  it('counts nothing without data', () => {
    const ledger = new CarbonLedger(0);
    ledger.advance(HOUR, [machine], () => []);
    expect(grams(ledger.emitted)).toEqual([]);
  });

  it('compares the emissions after a wait with those at the requested time, for as long as it had waited', () => {
    const waited = { intensityWhenAsked: 300, ms: HOUR, startedAt: HOUR };
    const ledger = new CarbonLedger(HOUR);
    for (const at of [1.5, 2, 2.5, 3]) ledger.advance(at * HOUR, [{ ...machine, since: HOUR, waited }], () => slots);
    expect(grams(ledger.saved)[0]).toBeCloseTo(200);
  });
});
