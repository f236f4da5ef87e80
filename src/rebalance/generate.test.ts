import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { generate, LOADS, MOST, type Wanted } from './generate.ts';
import { mean } from './load.ts';
import { readScenarios } from './read-scenarios.ts';
import { disagreeing, fleetOf, type Scenario } from './scenario.ts';

const scenarioOf = (wanted: Wanted, seed: number) => {
  const { name, nodes } = generate(wanted, seededRandom(seed));
  const { scenarios, causes } = readScenarios({ [name]: nodes });
  expect(causes).toEqual([]);
  return scenarios[0] as Scenario;
};

describe('loads that are made up', () => {
  it('have as many nodes and machines as asked for, which fit, and are the same for the same seed', () => {
    const wanted = fc.record({
      load: fc.constantFrom(...LOADS),
      nodes: fc.integer({ min: 1, max: 40 }),
      vms: fc.nat({ max: 600 }),
    });
    fc.assert(
      fc.property(wanted, fc.nat(), (wanted, seed) => {
        const scenario = scenarioOf(wanted, seed);
        expect(scenario.nodes).toHaveLength(wanted.nodes);
        expect(scenario.nodes.flatMap(({ vms }) => vms)).toHaveLength(wanted.vms);
        expect(disagreeing(scenario)).toEqual([]);
        for (const { memoryUsage } of scenario.nodes) expect(memoryUsage).toBeLessThanOrEqual(1);
        expect(generate(wanted, seededRandom(seed))).toEqual(generate(wanted, seededRandom(seed)));
      }),
      { numRuns: 60 },
    );
  });

  it('differ from seed to seed', () => {
    expect(generate({ load: 'mixed' }, seededRandom(1))).not.toEqual(generate({ load: 'mixed' }, seededRandom(2)));
  });

  it('are light, mixed and heavy in this order, and one that rises from node to node', () => {
    const usage = (load: Wanted['load']) => fleetOf(scenarioOf({ load, nodes: 60, vms: 3_000 }, 1)).load().cpuUsage;
    expect(mean(usage('light'))).toBeLessThan(mean(usage('mixed')));
    expect(mean(usage('mixed'))).toBeLessThan(mean(usage('heavy')));
    expect([...usage('progression')]).toEqual([...usage('progression')].sort((a, b) => a - b));
  });

  it('can be as large as the laboratory is made for', () => {
    const { nodes } = generate({ load: 'heavy', ...MOST }, seededRandom(1));
    expect(nodes).toHaveLength(MOST.nodes);
    expect(nodes.reduce((sum, { vms }) => sum + vms.length, 0)).toBe(MOST.vms);
  });
});
