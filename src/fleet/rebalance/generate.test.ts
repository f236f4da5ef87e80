import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { type GenerateOptions, generate, LOADS, MAX_SIZE, type VmRecord } from './generate.ts';
import { mean } from './load.ts';
import { readScenarios } from './read-scenarios.ts';
import { fleetOf, inconsistentNodes, REFERENCE_NODE, type Scenario } from './scenario.ts';

const scenarioOf = (wanted: GenerateOptions, seed: number) => {
  const { name, nodes } = generate(wanted, seededRandom(seed));
  const { scenarios, causes } = readScenarios({ [name]: nodes });
  expect(causes).toEqual([]);
  return scenarios[0] as Scenario;
};

describe('generated loads', () => {
  it('have the requested number of nodes and VMs, which fit, and are the same for the same seed', () => {
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
        expect(inconsistentNodes(scenario)).toEqual([]);
        for (const { memoryUsage } of scenario.nodes) expect(memoryUsage).toBeLessThanOrEqual(1);
        expect(generate(wanted, seededRandom(seed))).toEqual(generate(wanted, seededRandom(seed)));
      }),
      { numRuns: 60 },
    );
  });

  it('differ between seeds', () => {
    expect(generate({ load: 'mixed' }, seededRandom(1))).not.toEqual(generate({ load: 'mixed' }, seededRandom(2)));
  });

  it('are light, mixed and heavy in this order, and one that rises from node to node', () => {
    const usage = (load: GenerateOptions['load']) =>
      fleetOf(scenarioOf({ load, nodes: 60, vms: 3_000 }, 1)).load().cpuUsage;
    expect(mean(usage('light'))).toBeLessThan(mean(usage('mixed')));
    expect(mean(usage('mixed'))).toBeLessThan(mean(usage('heavy')));
    expect([...usage('progression')]).toEqual([...usage('progression')].sort((a, b) => a - b));
  });

  it('request no more than all nodes have, and light ones fill no node with requests', () => {
    const wanted = fc.record({
      load: fc.constantFrom(...LOADS),
      nodes: fc.integer({ min: 1, max: 40 }),
      vms: fc.integer({ min: 1, max: 600 }),
    });
    fc.assert(
      fc.property(wanted, fc.nat(), (wanted, seed) => {
        const { nodes } = generate(wanted, seededRandom(seed));
        const asked = nodes.map(({ vms }) => requestsOf(vms));
        for (const of of ['cpu', 'memory'] as const) {
          const total = asked.reduce((sum, node) => sum + node[of], 0);
          expect(total).toBeLessThanOrEqual(nodes.length + 1e-3);
          if (wanted.load === 'light') for (const node of asked) expect(node[of]).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 100 },
    );
  });

  it.each(LOADS)('have sizes of which VMs use a part: %s', (load) => {
    for (const { vms } of generate({ load }, seededRandom(1)).nodes) {
      for (const vm of vms) if ('cpu_cores' in vm) expect(vm.cpu_utilization).toBeLessThan(1);
    }
  });

  it.each(LOADS)('can be as large as the laboratory supports: %s', (load) => {
    const scenario = scenarioOf({ load, ...MAX_SIZE }, 1);
    expect(scenario.nodes).toHaveLength(MAX_SIZE.nodes);
    expect(scenario.nodes.reduce((sum, { vms }) => sum + vms.length, 0)).toBe(MAX_SIZE.vms);
    expect(inconsistentNodes(scenario)).toEqual([]);
    const usage = mean(fleetOf(scenario).load().cpuUsage);
    const [least, most] = { light: [0.2, 0.25], mixed: [0.5, 0.65], heavy: [0.85, 0.95], progression: [0.5, 0.55] }[
      load
    ];
    expect(usage).toBeGreaterThan(least as number);
    expect(usage).toBeLessThanOrEqual(most as number);
  });
});

/** Returns the requests of a node's VMs, as ratios of the reference node. */
function requestsOf(vms: readonly VmRecord[]): { cpu: number; memory: number } {
  let [cpu, memory] = [0, 0];
  for (const vm of vms) {
    const isOld = 'cpu_consumption' in vm;
    cpu += isOld ? vm.cpu_consumption : vm.cpu_cores / REFERENCE_NODE.cpuCores;
    memory += isOld ? vm.memory_consumption : vm.memory_bytes / REFERENCE_NODE.memoryBytes;
  }
  return { cpu, memory };
}
