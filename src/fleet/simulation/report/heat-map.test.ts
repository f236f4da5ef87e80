import { describe, expect, it } from 'vitest';
import { HeatMap } from './heat-map.ts';

describe('a heat map', () => {
  const map = (samples: readonly (readonly [t: number, node: string, value: number])[], until = 9600) => {
    const heat = new HeatMap(9600);
    for (const [t, node, value] of samples) heat.add(t, node, value);
    const svg = heat.svg('load', until);
    return [
      ...svg.matchAll(/<rect class="heat-(-?\d)" x="([\d.]+)" y="(\d+)" width="([\d.]+)" height="12"><title>([^<]*)</g),
    ].map(([, level, x, y, width, title]) => ({ level, x, y, width, title }));
  };

  it('has one rectangle for adjacent cells of the same color', () => {
    expect(
      map([
        [100, 'a', 0.1],
        [9600, 'a', 0.1],
      ]),
    ).toEqual([{ level: '0', x: '34.8', y: '0', width: '857.2', title: 'a 0:00 to 2:40' }]);
    expect(
      map([
        [4800, 'a', 0.1],
        [9600, 'a', 0.95],
      ]),
    ).toEqual([
      { level: '0', x: '34.8', y: '0', width: '428.6', title: 'a 0:00 to 1:20' },
      { level: '4', x: '463.4', y: '0', width: '428.6', title: 'a 1:20 to 2:40' },
    ]);
  });

  it.each([
    [-1, '-1'],
    [0, '0'],
    [0.25, '1'],
    [0.5, '2'],
    [0.75, '3'],
    [0.92, '4'],
    [1, '5'],
  ])('shows %d with the color %s', (value, level) => {
    expect(map([[9600, 'a', value]]).map((rect) => rect.level)).toEqual([level]);
  });

  it('shows the highest value of an interval, and no cell after the end', () => {
    expect(
      map(
        [
          [50, 'a', 0.95],
          [60, 'a', 0.1],
        ],
        100,
      ),
    ).toEqual([{ level: '4', x: '34.8', y: '0', width: '8.9', title: 'a 0:00 to 0:01' }]);
  });

  it('sorts nodes by number, one row each', () => {
    expect(
      map([
        [9600, 'n-10', 0],
        [9600, 'n-2', 0],
      ]).map(({ y, title }) => [y, title]),
    ).toEqual([
      ['0', 'n-2 0:00 to 2:40'],
      ['13', 'n-10 0:00 to 2:40'],
    ]);
  });

  it('has at most 100 rows, and says so', () => {
    const heat = new HeatMap(9600);
    for (let i = 0; i < 100; i++) heat.add(9600, `n-${i}`, 0);
    expect(heat.svg('load', 9600)).not.toContain('the first 100 nodes');
    heat.add(9600, 'n-100', 0);
    expect(heat.svg('load', 9600)).toContain('the first 100 nodes');
  });

  it('explains its colors', () => {
    const legend = new HeatMap(1).svg('load', 1);
    for (const key of ['down', 'below 25%', '25% to 50%', '90% to 100%', 'more']) expect(legend).toContain(key);
  });
});
