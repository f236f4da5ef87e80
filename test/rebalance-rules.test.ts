import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { ALGORITHMS } from '#fleet/rebalance/algorithms';
import { generate } from '#fleet/rebalance/generate';
import { loadOf, type Point } from '#fleet/rebalance/load.fixture';
import { recordingRules, ruleName } from '#fleet/rebalance/recording-rules';
import { seededRandom } from '#platform/base/random';
import { hasPrometheus, Prometheus } from './e2e/support/prometheus.ts';

const WINDOW = '2s';
const METRICS = [
  'node_cpu_usage_ratio',
  'node_cpu_pressure_psi',
  'node_memory_usage_ratio',
  'node_memory_pressure_psi',
];

const WHAT = 'the recording rules on a real Prometheus';
/** Nodes with their measurements: a typical load, equal nodes, an idle one, an overcommitted one. */
const MANY = new Map<string, Point>([
  ...generate({ load: 'mixed' }, seededRandom(1)).nodes.map((node): [string, Point] => [
    node.name,
    [node.cpu_usage, node.cpu_pressure, node.memory_usage, node.memory_pressure],
  ]),
  ['twin-1', [0.3, 0.021, 0.55, 0.0385]],
  ['twin-2', [0.3, 0.021, 0.55, 0.0385]],
  ['idle', [0, 0, 0, 0]],
  ['crowded', [1.4, 1, 0.2, 0.014]],
]);
/** Some nodes were deleted, others changed. */
const FEW = new Map<string, Point>([
  ['kwok-node-1', [0.5, 0.1, 0.6, 0.2]],
  ['twin-1', [0.6, 0.05, 0.7, 0.1]],
  ['twin-2', [0.7, 0.02, 0.8, 0.05]],
  ['new', [0.9, 0.2, 0.9, 0.3]],
  ['idle', [0, 0, 0, 0]],
]);
const EQUAL = new Map<string, Point>(['a', 'b', 'c'].map((name) => [name, [0.4, 0.028, 0.5, 0.035]]));

describe.skipIf(!hasPrometheus(WHAT))(WHAT, () => {
  const settings = { window: WINDOW, paretoNodes: MANY.size };
  const rules = stringify({ groups: [{ name: 'rebalance', rules: recordingRules(settings) }] });
  let nodes = MANY;
  let exporter: Server;
  let prometheus: Prometheus;

  beforeAll(async () => {
    exporter = createServer((_request, response) => response.end(exposition(nodes)));
    await new Promise<void>((resolve) => exporter.listen(0, '127.0.0.1', resolve));
    const { port } = exporter.address() as AddressInfo;
    prometheus = await Prometheus.start(`http://127.0.0.1:${port}`, [rules]);
  });

  afterAll(async () => {
    await prometheus?.stop();
    exporter.closeAllConnections();
    exporter.close();
  });

  it('pass promtool', () => {
    expect(prometheus.checkRules()).toContain('SUCCESS');
  });

  it.each([
    ['many nodes, some of them equal', MANY],
    ['fewer nodes after that, without the deleted ones', FEW],
    ['equal nodes', EQUAL],
  ])('return for %s the values of the formulas', async (_title, present) => {
    nodes = present;
    const load = loadOf([...present.values()]);
    await vi.waitFor(
      async () => {
        const recorded = await scores(prometheus);
        for (const { id, score } of ALGORITHMS) {
          const expected = Object.fromEntries([...present.keys()].map((name, at) => [name, score(load)[at]]));
          const found = recorded.get(ruleName(id, WINDOW)) ?? {};
          expect(Object.keys(found).sort(), id).toEqual(Object.keys(expected).sort());
          for (const [name, value] of Object.entries(expected)) {
            expect(found[name], `${id} of ${name}`).toBeCloseTo(value ?? Number.NaN, 9);
          }
        }
      },
      { timeout: 60_000, interval: 500 },
    );
  });
});

function exposition(nodes: ReadonlyMap<string, Point>): string {
  const lines = METRICS.flatMap((metric, at) => [
    `# TYPE ${metric} gauge`,
    ...[...nodes].map(([name, point]) => `${metric}{node="${name}"} ${point[at]}`),
  ]);
  return `${lines.join('\n')}\n`;
}

/** Returns the recorded values by rule and node. */
async function scores(prometheus: Prometheus): Promise<Map<string, Record<string, number>>> {
  const found = new Map<string, Record<string, number>>();
  for (const { labels, value } of await prometheus.query('{__name__=~"descheduler:node:.+"}')) {
    const { __name__: rule = '', instance = '' } = labels;
    found.set(rule, { ...found.get(rule), [instance]: value });
  }
  return found;
}
