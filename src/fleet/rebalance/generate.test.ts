import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { type GenerateOptions, generate, LOADS, MAX_SIZE, type VmRecord } from './generate.ts';
import { mean } from './load.ts';
import { readScenarios } from './read-scenarios.ts';
import { fleetOf, inconsistentNodes, REFERENCE_NODE, type Scenario } from './scenario.ts';

const scenarioOf = (desired: GenerateOptions, seed: number) => {
  const { name, nodes } = generate(desired, seededRandom(seed));
  const { scenarios, causes } = readScenarios({ [name]: nodes });
  expect(causes).toEqual([]);
  return scenarios[0] as Scenario;
};

describe('generated loads', () => {
  it('have the requested number of nodes and VMs, which fit, and are the same for the same seed', () => {
    const desired = fc.record({
      load: fc.constantFrom(...LOADS),
      nodes: fc.integer({ min: 1, max: 40 }),
      vms: fc.nat({ max: 600 }),
    });
    fc.assert(
      fc.property(desired, fc.nat(), (desired, seed) => {
        const scenario = scenarioOf(desired, seed);
        expect(scenario.nodes).toHaveLength(desired.nodes);
        expect(scenario.nodes.flatMap(({ vms }) => vms)).toHaveLength(desired.vms);
        expect(inconsistentNodes(scenario)).toEqual([]);
        for (const { memoryUsage } of scenario.nodes) expect(memoryUsage).toBeLessThanOrEqual(1);
        expect(generate(desired, seededRandom(seed))).toEqual(generate(desired, seededRandom(seed)));
      }),
      { numRuns: 60 },
    );
  });

  it('differ between seeds', () => {
    expect(generate({ load: 'mixed' }, seededRandom(1))).not.toEqual(generate({ load: 'mixed' }, seededRandom(2)));
  });

  it('are light, mixed and heavy in this order, and one rises from node to node', () => {
    const usage = (load: GenerateOptions['load']) =>
      fleetOf(scenarioOf({ load, nodes: 60, vms: 3_000 }, 1)).load().cpuUsage;
    expect(mean(usage('light'))).toBeLessThan(mean(usage('mixed')));
    expect(mean(usage('mixed'))).toBeLessThan(mean(usage('heavy')));
    expect([...usage('progression')]).toEqual([...usage('progression')].sort((a, b) => a - b));
  });

  it('request no more than all nodes have, and light ones fill no node with requests', () => {
    const desired = fc.record({
      load: fc.constantFrom(...LOADS),
      nodes: fc.integer({ min: 1, max: 40 }),
      vms: fc.integer({ min: 1, max: 600 }),
    });
    fc.assert(
      fc.property(desired, fc.nat(), (desired, seed) => {
        const { nodes } = generate(desired, seededRandom(seed));
        const requested = nodes.map(({ vms }) => requestsOf(vms));
        for (const of of ['cpu', 'memory'] as const) {
          const total = requested.reduce((sum, node) => sum + node[of], 0);
          expect(total).toBeLessThanOrEqual(nodes.length + 1e-3);
          if (desired.load === 'light') for (const node of requested) expect(node[of]).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 100 },
    );
  });

  it.each(LOADS)('have VMs that use a part of their size: %s', (load) => {
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
    const [min, max] = { light: [0.2, 0.25], mixed: [0.5, 0.65], heavy: [0.85, 0.95], progression: [0.5, 0.55] }[load];
    expect(usage).toBeGreaterThan(min as number);
    expect(usage).toBeLessThanOrEqual(max as number);
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
