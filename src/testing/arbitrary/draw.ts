import fc from 'fast-check';

/** Source of every choice in the generation of a value, so that fast-check can repeat and shrink it. */
export interface Draw {
  /**
   * Draws a value. Arbitraries must be created once and reused: a value from one that is created each time cannot
   * shrink.
   */
  of<T>(arbitrary: fc.Arbitrary<T>): T;
  /** Returns an integer from 0 up to, but excluding, the bound. */
  below(bound: number): number;
  one<T>(items: readonly [T, ...T[]]): T;
}

/** Returns the arbitrary of the values of `make` as JSON text, from which each user parses an object of their own. */
export function drawn(make: (draw: Draw) => unknown): fc.Arbitrary<string> {
  return fc.gen().map((gen) => JSON.stringify(make(drawFrom(gen))));
}

const makers = new WeakMap<fc.Arbitrary<unknown>, () => fc.Arbitrary<unknown>>();

function drawFrom(gen: fc.GeneratorValue): Draw {
  const below = (bound: number): number => gen(fc.nat, { max: bound - 1 });
  return {
    below,
    of<T>(arbitrary: fc.Arbitrary<T>): T {
      const maker = makers.get(arbitrary) ?? (() => arbitrary);
      makers.set(arbitrary, maker);
      return gen(maker) as T;
    },
    one: (items) => items[below(items.length)] ?? items[0],
  };
}
