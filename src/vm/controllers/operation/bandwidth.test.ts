import { expect, it } from 'vitest';
import { bytesPerSecond } from './bandwidth.ts';

it.each<[string, number | undefined]>([
  ['800bps', 100],
  ['64Kbps', 8000],
  ['100Mbps', 12_500_000],
  ['1Gbps', 125_000_000],
  ['1bps', 1],
  ['100MB/s', undefined],
])('%s are %s bytes a second', (rate, expected) => {
  expect(bytesPerSecond(rate)).toBe(expected);
});
