import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { effectiveBandwidth, residentBytes, Transfers } from './transfers.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

describe('the memory that a migration sends', () => {
  it.each([
    [16 * GIB, 0.05, 0.8 * GIB],
    [GIB, 0.05, 128 * MIB],
    [64 * MIB, 0.05, 64 * MIB],
    [4 * GIB, 1, 4 * GIB],
  ])('of %d bytes with the used ratio %d is %d', (memory, utilization, resident) => {
    expect(residentBytes(memory, utilization)).toBeCloseTo(resident);
  });
});

describe('the bandwidth of a transfer', () => {
  it('is shared by all on the busier of its two links', () => {
    expect(effectiveBandwidth(100, 0, 0)).toBe(100);
    expect(effectiveBandwidth(100, 4, 1)).toBe(25);
    expect(effectiveBandwidth(100, 1, 5)).toBe(20);
  });
});

function laboratory(link = 100) {
  const clock = new FakeClock();
  const transfers = new Transfers({ clock, link });
  const ends = new Map<string, string>();
  const start = (name: string, request: Partial<Parameters<Transfers['start']>[0]> = {}) =>
    transfers.start({
      source: 'a',
      target: 'b',
      bytes: 1000,
      dirtyRate: () => 0,
      done: () => void ends.set(name, `done at ${clock.monotonic()}`),
      failed: (message) => void ends.set(name, `failed at ${clock.monotonic()}: ${message}`),
      ...request,
    });
  return { clock, transfers, ends, start };
}

describe('a transfer', () => {
  it('takes the memory divided by the bandwidth minus the dirty rate', async () => {
    const { clock, ends, start } = laboratory();
    start('m', { dirtyRate: () => 60 });
    await clock.advance(24_999);
    expect(ends.size).toBe(0);
    await clock.advance(1);
    expect(ends.get('m')).toBe('done at 25000');
    expect(clock.pending).toBe(0);
  });

  it('is slowed down while another shares its link, and only then', async () => {
    const { clock, ends, start } = laboratory();
    start('first');
    await clock.advance(5_000);
    // 500 bytes are left each at 50 per second, which takes 10 s. Then the second has 500 left, alone at 100.
    start('second', { target: 'c' });
    await clock.advance(30_000);
    expect(Object.fromEntries(ends)).toEqual({ first: 'done at 15000', second: 'done at 20000' });
  });

  it('is independent of those on other links', async () => {
    const { clock, ends, start } = laboratory();
    start('m');
    start('other', { source: 'c', target: 'd' });
    await clock.advance(20_000);
    expect(Object.fromEntries(ends)).toEqual({ m: 'done at 10000', other: 'done at 10000' });
  });

  it('fails if memory changes as fast as it can be sent', async () => {
    const { clock, ends, start } = laboratory();
    start('m', { dirtyRate: () => 100 });
    await clock.advance(149_999);
    expect(ends.size).toBe(0);
    await clock.advance(1);
    expect(ends.get('m')).toBe(
      'failed at 150000: does not converge: memory changes at 100 bytes/s, but only 100 bytes/s can be sent',
    );
  });

  it('continues when bandwidth becomes free', async () => {
    const { clock, ends, start } = laboratory();
    start('other', { bytes: 3000 });
    start('m', { dirtyRate: () => 60 });
    // It is stuck at 50 against 60 until the other finishes after 60 s. Then 1000 are sent at 40.
    await clock.advance(200_000);
    expect(Object.fromEntries(ends)).toEqual({ other: 'done at 60000', m: 'done at 85000' });
  });

  it('throttles the guest step by step if allowed', async () => {
    const { clock, ends, start } = laboratory();
    start('m', { dirtyRate: () => 150, autoConverge: true });
    // After 3 s the guest is throttled enough: 1000 at 100 - 90.
    await clock.advance(200_000);
    expect(ends.get('m')).toBe('done at 103000');
  });

  it('fails even with a slowed guest that is still too fast', async () => {
    const { clock, ends, start } = laboratory();
    start('m', { dirtyRate: () => 1e6, autoConverge: true });
    await clock.advance(300_000);
    expect(ends.get('m')).toMatch(/^failed at 159000: does not converge/);
  });

  it('respects its own limit', async () => {
    const { clock, ends, start } = laboratory();
    start('m', { bandwidth: 10 });
    await clock.advance(100_000);
    expect(ends.get('m')).toBe('done at 100000');
  });

  it('that is canceled leaves its bandwidth to the others and never ends', async () => {
    const { clock, ends, start, transfers } = laboratory();
    const given = start('given up');
    start('m');
    await clock.advance(10_000);
    expect(given.remaining).toBeCloseTo(500);
    given.cancel();
    given.cancel();
    await clock.advance(100_000);
    expect(Object.fromEntries(ends)).toEqual({ m: 'done at 15000' });
    expect(transfers.count('a')).toEqual({ outgoing: 0, incoming: 0 });
  });

  it('is never sent faster than the link, also while other transfers start and end', async () => {
    const arrival = fc.record({
      at: fc.nat(20_000),
      source: fc.constantFrom('a', 'b', 'c'),
      target: fc.constantFrom('x', 'y'),
      bytes: fc.integer({ min: 1, max: 5_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(arrival, { minLength: 1, maxLength: 8 }), async (arrivals) => {
        const { clock, ends, start } = laboratory();
        for (const [i, { at, ...request }] of arrivals.toSorted((a, b) => a.at - b.at).entries()) {
          if (at > clock.monotonic()) await clock.advance(at - clock.monotonic());
          start(`${i} from ${clock.monotonic()}`, request);
        }
        await clock.advance(1_000_000);
        expect(ends.size).toBe(arrivals.length);
        expect(clock.pending).toBe(0);
        // All bytes over one link take at least as long as the link needs for them.
        for (const side of ['source', 'target'] as const) {
          for (const node of new Set(arrivals.map((each) => each[side]))) {
            const own = arrivals
              .toSorted((a, b) => a.at - b.at)
              .flatMap((each, i) => (each[side] === node ? [{ ...each, i }] : []));
            const bytes = own.reduce((sum, each) => sum + each.bytes, 0);
            const first = Math.min(...own.map(({ at }) => at));
            const last = Math.max(
              ...own.map(({ i }) => Number([...ends].find(([name]) => name.startsWith(`${i} `))?.[1].split(' ')[2])),
            );
            expect(last - first).toBeGreaterThanOrEqual((bytes / 100) * 1000 - 1);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
