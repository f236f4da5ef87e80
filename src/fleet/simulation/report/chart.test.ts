import { describe, expect, it } from 'vitest';
import { chart } from './chart.ts';

const drawn = (values: readonly number[], more: Partial<Parameters<typeof chart>[0]> = {}) =>
  chart({
    title: 'load',
    unit: 'count',
    times: values.map((_, at) => at * 60),
    lines: [{ name: 'n', values }],
    ...more,
  });
/** Returns the labels of the vertical axis, from the bottom to the top. */
const axis = (svg: string) => [...svg.matchAll(/dominant-baseline="middle">([^<]*)</g)].map(([, text]) => text);

describe('a chart', () => {
  it.each([
    [[0, 0], 'count', '1'],
    [[3], 'count', '4'],
    [[6], 'count', '8'],
    [[8], 'count', '8'],
    [[9], 'count', '10'],
    [[41], 'count', '50'],
    [[300], 'count', '400'],
    [[0.15], 'share', '20%'],
    [[0.9], 'share', '100%'],
  ] as const)('of %j as %s has an axis that ends at %s', (values, unit, top) => {
    expect(axis(drawn(values, { unit })).at(-1)).toBe(top);
  });

  it('has a grid of quarters', () => {
    expect(axis(drawn([8]))).toEqual(['0', '2', '4', '6', '8']);
  });

  it('repeats its colors after the last', () => {
    const lines = Array.from({ length: 6 }, (_, i) => ({ name: `n${i}`, values: [1] }));
    const svg = drawn([1], { lines });
    expect([...svg.matchAll(/class="line line-(\d+)"/g)].map(([, color]) => color)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '0',
      '1',
    ]);
    expect([...svg.matchAll(/class="key key-(\d+)"/g)].map(([, color]) => color)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '0',
      '1',
    ]);
  });

  it('shows a limit, and ends above it', () => {
    const svg = drawn([1], { limit: 7 });
    expect(svg).toContain('class="limit"');
    expect(axis(svg).at(-1)).toBe('8');
    expect(drawn([1])).not.toContain('class="limit"');
  });
});
