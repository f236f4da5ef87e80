import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Random, seededRandom, systemRandom } from './random.ts';

const draws = (random: Random, n = 20) => Array.from({ length: n }, () => random.next());

describe.each([
  ['a seeded source', () => seededRandom('contract')],
  ['the system source', systemRandom],
] as const)('%s', (_name, create) => {
  test('draws numbers in [0, 1) that are all different', () => {
    const numbers = draws(create(), 10_000);
    expect(numbers.every((n) => n >= 0 && n < 1)).toBe(true);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test('draws integers from their whole range, both ends included', () => {
    const random = create();
    const drawn = new Set(Array.from({ length: 1_000 }, () => random.int(-2, 2)));
    expect([...drawn].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2]);
    expect(random.int(7, 7)).toBe(7);
  });

  test('shuffles a copy, and keeps all items', () => {
    const items = Object.freeze(Array.from({ length: 50 }, (_, i) => i));
    const shuffled = create().shuffle(items);
    expect(shuffled).not.toEqual(items);
    expect(shuffled.sort((a, b) => a - b)).toEqual(items);
  });

  test('draws texts of the given alphabet and length', () => {
    const random = create();
    for (let i = 0; i < 100; i++) {
      expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(random.suffix()).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(random.suffix(9)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{9}$/);
      expect(random.hex(i)).toMatch(new RegExp(`^[0-9a-f]{${i}}$`));
    }
  });

  test('forks independent sources', () => {
    const random = create();
    expect(draws(random.fork('a'))).not.toEqual(draws(random.fork('b')));
    expect(draws(random.fork('a'))).not.toEqual(draws(create()));
  });

  test('rejects an empty list, an empty range and a rate of zero', () => {
    const random = create();
    expect(() => random.pick([])).toThrow(RangeError);
    expect(() => random.int(2, 1)).toThrow(RangeError);
    expect(() => random.int(0.5, 1)).toThrow(RangeError);
    expect(() => random.int(0, Number.POSITIVE_INFINITY)).toThrow(RangeError);
    expect(() => random.exponential(0)).toThrow(RangeError);
    expect(() => random.poisson(-1)).toThrow(RangeError);
  });
});

describe('seededRandom', () => {
  test('has the same draws for the same seed, and others for another seed', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(draws(seededRandom(a))).toEqual(draws(seededRandom(a)));
        if (a !== b) expect(draws(seededRandom(a))).not.toEqual(draws(seededRandom(b)));
      }),
    );
    expect(draws(seededRandom(1))).toEqual(draws(seededRandom('1')));
  });

  test('has the same draws in every version', () => {
    const random = seededRandom('vimana');
    expect([random.int(0, 999), random.suffix(), random.uuid(), random.fork('node-1').hex(8)]).toMatchInlineSnapshot(`
      [
        890,
        "tcngv",
        "44cbdc9a-111a-446d-b09d-f774f7071c01",
        "31d5cbe1",
      ]
    `);
  });

  test('has forks that depend only on their name and their parent', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(50), (name, drawn) => {
        const used = seededRandom('s');
        draws(used, drawn);
        used.fork('other');
        expect(draws(used.fork(name))).toEqual(draws(seededRandom('s').fork(name)));
      }),
    );
  });

  test('distinguishes forks by their path, not by its letters', () => {
    const random = seededRandom('s');
    const streams = [
      random.fork('ab'),
      random.fork('a').fork('b'),
      random.fork('b').fork('a'),
      random.fork('').fork('ab'),
    ];
    expect(new Set(streams.map((stream) => stream.hex(16))).size).toBe(streams.length);
  });

  test('is not changed by drawing from a fork', () => {
    const [a, b] = [seededRandom('s'), seededRandom('s')];
    draws(a.fork('x'));
    expect(draws(a)).toEqual(draws(b));
  });

  test('has unrelated draws for similar seeds', () => {
    const first = Array.from({ length: 4_000 }, (_, seed) => seededRandom(seed).next());
    const mean = first.reduce((sum, n) => sum + n, 0) / first.length;
    const product = first.slice(1).reduce((sum, n, i) => sum + (n - 0.5) * ((first[i] ?? 0) - 0.5), 0) / first.length;
    expect(mean).toBeCloseTo(0.5, 1);
    expect(Math.abs(product * 12)).toBeLessThan(0.06);
  });

  test('draws integers and picks with equal probability', () => {
    const random = seededRandom('die');
    const counts = new Map<number, number>();
    for (let i = 0; i < 60_000; i++) {
      const face = random.pick([1, 2, 3, 4, 5, 6]);
      counts.set(face, (counts.get(face) ?? 0) + 1);
    }
    // 20.5 is the chi-square bound for five degrees of freedom that one die in a thousand fails. The seed is fixed.
    const chiSquare = [...counts.values()].reduce((sum, n) => sum + (n - 10_000) ** 2 / 10_000, 0);
    expect(counts.size).toBe(6);
    expect(chiSquare).toBeLessThan(20.5);
  });

  test('draws from the whole of a large range', () => {
    const random = seededRandom('large');
    const numbers = Array.from({ length: 1_000 }, () => random.int(0, 2 ** 50));
    expect(numbers.every((n) => Number.isSafeInteger(n) && n >= 0 && n <= 2 ** 50)).toBe(true);
    expect(Math.max(...numbers)).toBeGreaterThan(2 ** 49);
  });
});

describe('a distribution', () => {
  const moments = (draw: () => number, n = 40_000) => {
    const values = Array.from({ length: n }, draw);
    const mean = values.reduce((sum, v) => sum + v, 0) / n;
    const variance = values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / n;
    return { mean, variance, values };
  };

  test('that is normal has its mean and deviation', () => {
    const random = seededRandom('normal');
    const { mean, variance, values } = moments(() => random.normal(10, 3));
    expect(mean).toBeCloseTo(10, 1);
    expect(Math.sqrt(variance)).toBeCloseTo(3, 1);
    const within = values.filter((v) => Math.abs(v - 10) < 3).length / values.length;
    expect(within).toBeCloseTo(0.683, 1.5);
  });

  test('that is exponential has the mean of one over its rate', () => {
    const random = seededRandom('exponential');
    const { mean, variance, values } = moments(() => random.exponential(4));
    expect(mean).toBeCloseTo(0.25, 2);
    expect(variance).toBeCloseTo(0.0625, 2);
    expect(values.every((v) => v >= 0)).toBe(true);
  });

  test.each([0, 0.5, 4, 29, 31, 200, 1e6])('that is Poisson around %d has it as mean and variance', (lambda) => {
    const random = seededRandom(`poisson ${lambda}`);
    const { mean, variance, values } = moments(() => random.poisson(lambda));
    expect(values.every((v) => Number.isInteger(v) && v >= 0)).toBe(true);
    expect(Math.abs(mean - lambda)).toBeLessThanOrEqual(5 * Math.sqrt(lambda / values.length));
    expect(Math.abs(variance - lambda)).toBeLessThanOrEqual(0.05 * lambda);
  });
});
