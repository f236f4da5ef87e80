import fc from 'fast-check';

/** Every choice in the making of a value goes through here, so that fast-check can repeat and shrink it. */
export interface Draw {
  /** Arbitraries are made once and kept: a value drawn from one that is made anew each time cannot shrink. */
  of<T>(arbitrary: fc.Arbitrary<T>): T;
  /** A whole number from 0 up to, but without, the bound. */
  below(bound: number): number;
  one<T>(items: readonly [T, ...T[]]): T;
}

/** The arbitrary of what `make` makes, as JSON text: whoever gets one parses an object of their own out of it. */
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
