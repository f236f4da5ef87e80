import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Exposition } from './exposition.ts';
import { measureLoad, type NodeLoad, type NodeState } from './node-load.ts';

const stateOf = (name: string, cores: number): NodeState => {
  const size = { cpuCores: 8, memoryBytes: 2 ** 33 };
  return {
    name,
    roles: ['worker'],
    ...size,
    ...measureLoad(cores / size.cpuCores, (cores * 2 ** 29) / size.memoryBytes),
    vms: cores,
  };
};
const loadOf = (state: NodeState, at: number): NodeLoad => ({
  ...state,
  state,
  spent: { cpuUser: at, cpuIdle: 8 * at, cpuWaiting: at / 3, memoryWaiting: at / 7 },
});

it('writes every node in each family, with counters to the microsecond', () => {
  const text = String(new Exposition().of([loadOf(stateOf('b', 2), 1), loadOf(stateOf('a"', 4), 2)]));
  expect(text).toContain('# TYPE node_cpu_usage_ratio gauge\nnode_cpu_usage_ratio{node="b"} 0.25\n');
  expect(text).toContain('node_cpu_usage_ratio{node="a\\""} 0.5\n# HELP');
  expect(text).toContain(
    'node_cpu_seconds_total{instance="b",mode="idle"} 8\nnode_cpu_seconds_total{instance="b",mode="user"} 1\n',
  );
  expect(text).toContain('node_pressure_cpu_waiting_seconds_total{instance="b"} 0.333333\n');
  expect(text).toContain('kube_node_role{instance="b",node="b",role="worker"} 1\n');
  expect(text.endsWith('\n')).toBe(true);
});

it('writes the same with and without earlier output, after any changes', () => {
  // Each scrape draws the load of up to 300 nodes, a third of which exist.
  const scrape = fc.array(fc.record({ node: fc.nat({ max: 299 }), cores: fc.nat({ max: 9 }) }), { maxLength: 40 });
  fc.assert(
    fc.property(fc.array(scrape, { minLength: 1, maxLength: 6 }), (scrapes) => {
      const kept = new Exposition();
      const states = new Map<number, NodeState>(Array.from({ length: 100 }, (_, i) => [3 * i, stateOf(`n${i}`, 1)]));
      for (const [at, changes] of scrapes.entries()) {
        for (const { node, cores } of changes) {
          if (cores === 9) states.delete(node);
          else states.set(node, stateOf(`n${node}`, cores));
        }
        const loads = [...states].sort(([a], [b]) => a - b).map(([, state]) => loadOf(state, at));
        expect(String(kept.of(loads))).toBe(String(new Exposition().of(loads)));
      }
    }),
    { numRuns: 50 },
  );
});
