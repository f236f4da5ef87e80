import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import type { LoadSignal } from './scenario-spec.ts';
import { signalOf } from './signal.ts';

const HOUR = 3_600_000;
const of = (signal: object, seed = 's') => signalOf(signal as LoadSignal, seededRandom(seed));

describe('a signal', () => {
  it('may be constant', () => {
    expect(of({ type: 'constant', constant: { value: 0.4 } })(5 * HOUR)).toBe(0.4);
  });

  it.each([
    [14, 0.7],
    [2, 0.1],
    [8, 0.4],
    [38, 0.7],
  ])('that is a sine is at hour %d at %d', (hour, value) => {
    const sine = of({ type: 'sine', sine: { mean: 0.4, amplitude: 0.3, period: '24h', peakAt: '14h' } });
    expect(sine(hour * HOUR)).toBeCloseTo(value);
  });

  it('is never negative', () => {
    const sine = of({ type: 'sine', sine: { mean: 0.1, amplitude: 0.5, period: '24h', peakAt: '12h' } });
    expect(sine(0)).toBe(0);
  });

  const points = [
    { at: '1h', value: 0.2 },
    { at: '3h', value: 0.6 },
  ];
  it.each([
    ['linear', false, 0, 0.2],
    ['linear', false, 1, 0.2],
    ['linear', false, 2, 0.4],
    ['linear', false, 3, 0.6],
    ['linear', false, 9, 0.6],
    ['step', false, 2.9, 0.2],
    ['step', false, 3, 0.6],
    ['linear', true, 5, 0.4],
    ['step', true, 3, 0.2],
  ])('that is a %s trace (repeated: %s) is at hour %d at %d', (interpolation, repeat, hour, value) => {
    expect(of({ type: 'trace', trace: { points, interpolation, repeat } })(hour * HOUR)).toBeCloseTo(value);
  });

  it('that walks stays within its bounds and is the same however often it is evaluated', () => {
    const walk = { start: 0.5, step: 0.4, interval: '5m', min: 0.1, max: 0.9 };
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.nat(48 * HOUR), { maxLength: 20 }),
        fc.nat(48 * HOUR),
        (seed, requested, last) => {
          const often = of({ type: 'randomWalk', randomWalk: walk }, seed);
          const once = of({ type: 'randomWalk', randomWalk: walk }, seed);
          const end = Math.max(last, ...requested);
          for (const time of requested.toSorted((a, b) => a - b)) {
            const value = often(time);
            expect(value).toBeGreaterThanOrEqual(0.1);
            expect(value).toBeLessThanOrEqual(0.9);
          }
          expect(often(end)).toBe(once(end));
        },
      ),
    );
  });

  it('that walks differs for another seed', () => {
    const walk = { type: 'randomWalk', randomWalk: { start: 0.5, step: 0.1, interval: '5m', min: 0, max: 1 } };
    expect(of(walk, 'a')(HOUR)).not.toBe(of(walk, 'b')(HOUR));
  });
});
