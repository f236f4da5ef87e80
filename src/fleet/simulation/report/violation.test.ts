import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ViewedNode } from '../engine/scenario-view.ts';
import { type Violation, Violations } from './violation.ts';

const node = (name: string, cpuUsage: number, memoryUsage = 0, up = true): ViewedNode => ({
  name,
  up,
  cpuUsage,
  memoryUsage,
  cpuPressure: 0,
  memoryPressure: 0,
  vmCount: 10,
});

function followed(looks: readonly [t: number, nodes: readonly ViewedNode[], pending?: number][]): Violation[] {
  const found: Violation[] = [];
  const violations = new Violations({ cpu: 0.9, memory: 0.95 }, (violation) => found.push(violation));
  for (const [t, nodes, pending = 0] of looks) violations.check(t, nodes, pending);
  violations.finish();
  return found;
}

it('is one interval for as long as an SLO is violated, with its peak', () => {
  expect(
    followed([
      [60, [node('a', 0.5)]],
      [120, [node('a', 0.95)]],
      [180, [node('a', 1.2)]],
      [240, [node('a', 0.9)]],
    ]),
  ).toEqual([{ from: 60, to: 180, slo: 'cpu', node: 'a', peak: 1.2, vm_seconds: 1200 }]);
});

it('is reported for each node, each SLO, and for pending VMs', () => {
  const found = followed([[60, [node('a', 1, 1), node('b', 0.95), node('c', 2, 1, false)], 3]]);
  expect(found.map(({ slo, node: name, vm_seconds }) => [slo, name, vm_seconds])).toEqual([
    ['cpu', 'a', 600],
    ['memory', 'a', 600],
    ['cpu', 'b', 600],
    ['placement', '', 180],
  ]);
});

it('starts again after a pause', () => {
  const found = followed([
    [60, [node('a', 1)]],
    [120, [node('a', 0)]],
    [180, [node('a', 1)]],
  ]);
  expect(found.map(({ from, to }) => [from, to])).toEqual([
    [0, 60],
    [120, 180],
  ]);
});

it('adds up to the time beyond the limit, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 2, noNaN: true }), { maxLength: 50 }), (usages) => {
      const found = followed(usages.map((usage, at) => [(at + 1) * 10, [node('a', usage)]]));
      const seconds = found.reduce((sum, { from, to }) => sum + to - from, 0);
      expect(seconds).toBe(usages.filter((usage) => usage > 0.9).length * 10);
    }),
  );
});

it('does not include a value exactly at the SLO', () => {
  expect(followed([[60, [node('a', 0.9, 0.95)]]])).toEqual([]);
  expect(followed([[60, [node('a', 0.9001, 0.9501)]]])).toHaveLength(2);
});
