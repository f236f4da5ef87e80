import { describe, expect, it } from 'vitest';
import { comparedMethods } from './compared-methods.ts';

describe('comparedMethods', () => {
  it('reads algorithms, planners and modes in any order', () => {
    const found = comparedMethods('none, max-metric/fewest-moves ,Low/psi-aware,best-fit');
    expect(found.map(({ name, parts }) => [name, parts?.algorithm?.id, parts?.planner?.id, parts?.mode?.id])).toEqual([
      ['none', undefined, undefined, undefined],
      ['max-metric/fewest-moves', 'max-metric', 'fewest-moves', undefined],
      ['Low/psi-aware', undefined, 'psi-aware', 'Low'],
      ['best-fit', undefined, 'best-fit', undefined],
    ]);
    expect(found[0]).not.toHaveProperty('parts');
  });

  it.each([
    ['max-metric', 'Name at least two methods'],
    ['none,none', 'none is named twice.'],
    ['none,best', 'best is not a method. It must be one of none, weighted-average,'],
    ['none,Low/High', 'Low/High names two modes.'],
  ])('rejects %j', (text, told) => {
    expect(() => comparedMethods(text)).toThrow(told);
  });
});
