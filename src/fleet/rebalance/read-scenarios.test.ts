import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatFieldError } from '#platform/base/field-error';
import { seededRandom } from '#platform/base/random';
import { generate, LOADS } from './generate.ts';
import { readScenarios } from './read-scenarios.ts';
import { fleetOf, inconsistentNodes, type Scenario } from './scenario.ts';

const GIB = 2 ** 30;
const causesOf = (value: unknown) => readScenarios(value).causes.map(formatFieldError);
const fleetIn = (value: unknown) => {
  const { scenarios, causes } = readScenarios(value);
  expect(causes).toEqual([]);
  return fleetOf(scenarios[0] as Scenario);
};

describe('scenario files', () => {
  it('contain VMs of the old format, as ratios of a node with 32 cores and 128 GiB', () => {
    const vms = [
      { id: 'a', cpu_consumption: 0.25, memory_consumption: 0.5 },
      { id: 'b', cpu_consumption: 1, memory_consumption: 0.25 },
    ];
    const { cpuUsage, cpuPressure, memoryUsage } = fleetIn({ s: [{ name: 'n', vms }] }).load();
    expect([cpuUsage[0], memoryUsage[0]]).toEqual([1.25, 0.75]);
    // 0.8 + 0.5 * 0.25
    expect(cpuPressure[0]).toBeCloseTo(0.925, 12);
  });

  it('contain VMs of the new format, beside the old one, and nodes of other sizes', () => {
    const vms = [
      { id: 'a', cpu_cores: 4, memory_bytes: 16 * GIB, cpu_utilization: 0.5, memory_utilization: 0.25, pod_name: 'p' },
      { id: 'b', cpu_consumption: 0.0625, memory_consumption: 0.125 },
    ];
    // 4 * 0.5 + 32 * 0.0625 = 4 of 16 cores; 16 * 0.25 + 128 * 0.125 = 20 of 64 GiB
    const { cpuUsage, memoryUsage } = fleetIn({
      s: [{ name: 'n', cpu_cores: 16, memory_bytes: 64 * GIB, vms }],
    }).load();
    expect([cpuUsage[0], memoryUsage[0]]).toEqual([0.25, 0.3125]);
  });

  it('place a VM where the scheduler has placed it', () => {
    const vm = { id: 'a', cpu_consumption: 0.1, memory_consumption: 0.1, scheduled_node: 'two' };
    const fleet = fleetIn({ s: [{ name: 'one', vms: [vm] }, { name: 'two' }] });
    expect([fleet.on(0), fleet.on(1)]).toEqual([[], [0]]);
  });

  it('contain the metrics of a node without VMs', () => {
    const metrics = { cpu_usage: 0.5, cpu_pressure: 0.3, memory_usage: 0.75, memory_pressure: 0.01 };
    const load = fleetIn({ s: [{ name: 'n', ...metrics }] }).load();
    expect([load.cpuUsage, load.cpuPressure, load.memoryUsage, load.memoryPressure].map(([each]) => each)).toEqual([
      0.5, 0.3, 0.75, 0.01,
    ]);
  });

  it('report nodes whose metrics differ from the sums of their VMs', () => {
    const vms = [{ id: 'a', cpu_consumption: 0.2, memory_consumption: 0.3 }];
    const { scenarios } = readScenarios({
      s: [
        { name: 'right', cpu_usage: 0.2, memory_usage: 0.3, vms },
        { name: 'wrong', cpu_usage: 0.4, memory_usage: 0.3, vms: [{ ...vms[0], id: 'b' }] },
        { name: 'empty', cpu_usage: 0.9 },
      ],
    });
    expect(inconsistentNodes(scenarios[0] as Scenario)).toEqual(['wrong']);
  });

  it('report all errors at once, each with its path', () => {
    const node = { name: 'one', memory_usage: 1.5, cpu_pressure: -1, wings: 2 };
    const vms = [
      { id: 'a', cpu_consumption: '0.1', memory_consumption: 2 },
      { id: 'a', cpu_cores: 0, memory_bytes: 1, cpu_utilization: 1, cpu_consumption: 1, memory_utilization: 0.5 },
      { cpu_consumption: 0.1, memory_consumption: 0.1, scheduled_node: 'nowhere' },
      null,
    ];
    expect(causesOf({ s: [{ ...node, vms }, { name: 'one' }, 7], empty: [], odd: {} })).toEqual([
      's[0].wings: Forbidden: unknown field; supported are name, cpu_usage, cpu_pressure, memory_usage, memory_pressure, vms, cpu_cores, memory_bytes',
      's[0].cpu_pressure: Invalid value: -1: must not be negative',
      's[0].memory_usage: Invalid value: 1.5: must not be greater than 1',
      's[0].vms[0].cpu_consumption: Invalid value: "0.1": must be a number',
      's[0].vms[0].memory_consumption: Invalid value: 2: must not be greater than 1',
      's[0].vms[1].id: Duplicate value: "a"',
      's[0].vms[1].cpu_consumption: Forbidden: belongs to the old format, and cpu_cores, memory_bytes, cpu_utilization, memory_utilization to the new one',
      's[0].vms[1].cpu_cores: Invalid value: 0: must be greater than 0',
      's[0].vms[2].id: Required value',
      's[0].vms[3]: Invalid value: null: must be an object',
      's[1].name: Duplicate value: "one"',
      's[2]: Invalid value: 7: must be an object',
      's[0].vms[2].scheduled_node: Not found: "nowhere"',
      'empty: Required value: at least one node is required',
      'odd: Invalid value: {}: must be a list',
    ]);
  });

  it.each([[null], [[]], ['text'], [{}]])('cannot be %j', (value) => expect(causesOf(value)).toHaveLength(1));

  it('accept a usage above 1 only if VMs use that much', () => {
    const vms = [{ id: 'a', cpu_consumption: 7, memory_consumption: 0.1 }];
    expect(causesOf({ s: [{ name: 'one', cpu_usage: 7, vms }] })).toEqual([]);
    expect(
      causesOf({
        s: [
          { name: 'one', cpu_usage: 7.1, vms },
          { name: 'two', cpu_usage: 7 },
        ],
      }),
    ).toEqual([
      's[0].cpu_usage: Invalid value: 7.1: must not be greater than 1, unless its VMs use more',
      's[1].cpu_usage: Invalid value: 7: must not be greater than 1, unless its VMs use more',
    ]);
  });

  it('may have VMs on known nodes that are not in the list', () => {
    const vms = [{ id: 'a', cpu_consumption: 0.1, memory_consumption: 0.1, scheduled_node: 'elsewhere' }];
    const value = { s: [{ name: 'one', vms }] };
    expect(readScenarios(value, (name) => name === 'elsewhere').causes).toEqual([]);
    expect(readScenarios(value).causes).toHaveLength(1);
  });

  it('reject numbers that are not finite', () => {
    expect(causesOf(JSON.parse('{"s": [{"name": "n", "cpu_usage": 1e999}]}'))).toEqual([
      's[0].cpu_usage: Invalid value: +Inf: must be finite',
    ]);
  });
});

describe('the sample scenarios', () => {
  const text = readFileSync('examples/simulation/sample_scenarios.json', 'utf8');

  it.each([
    ['light_load', 6, 112],
    ['mixed_load', 12, 643],
    ['heavy_load', 10, 833],
    ['simple_progression', 8, 484],
  ])('%s has %i nodes and %i VMs, and its node metrics are the sums of their VMs', (name, nodes, vms) => {
    const { scenarios, causes } = readScenarios(JSON.parse(text));
    const scenario = scenarios.find((each) => each.name === name) as Scenario;
    expect(causes).toEqual([]);
    expect(scenario.nodes).toHaveLength(nodes);
    expect(scenario.nodes.flatMap((node) => node.vms)).toHaveLength(vms);
    expect(inconsistentNodes(scenario)).toEqual([]);
  });

  it('are the output of the generator for seed 1', () => {
    const made = LOADS.map((load) => generate({ load }, seededRandom(1)));
    expect(JSON.parse(text)).toEqual(Object.fromEntries(made.map(({ name, nodes }) => [name, nodes])));
  });
});

describe('missing and mixed fields of a VM', () => {
  const causesOfVm = (vm: object) => causesOf({ s: [{ name: 'n', vms: [{ id: 'a', ...vm }] }] });

  it.each([
    [{ cpu_consumption: 0.1 }, ['s[0].vms[0].memory_consumption: Required value']],
    [{ memory_consumption: 0.1 }, ['s[0].vms[0].cpu_consumption: Required value']],
    [{}, ['s[0].vms[0].cpu_consumption: Required value', 's[0].vms[0].memory_consumption: Required value']],
  ])('%j is rejected by name', (vm, causes) => {
    expect(causesOfVm(vm)).toEqual(causes);
  });

  it('one field of the new format makes it a VM of the new format', () => {
    expect(causesOfVm({ cpu_cores: 4 }).every((cause) => !cause.includes('consumption'))).toBe(true);
  });
});
