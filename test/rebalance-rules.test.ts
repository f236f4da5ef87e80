import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { seededRandom } from '../src/base/random.ts';
import { ALGORITHMS } from '../src/rebalance/algorithms.ts';
import { generate } from '../src/rebalance/generate.ts';
import { loadOf, type Point } from '../src/rebalance/load.fixture.ts';
import { recordingRules, ruleName } from '../src/rebalance/recording-rules.ts';

const WINDOW = '2s';
const METRICS = [
  'node_cpu_usage_ratio',
  'node_cpu_pressure_psi',
  'node_memory_usage_ratio',
  'node_memory_pressure_psi',
];

/** Programs of Debian's package `prometheus`. */
const PROMETHEUS = 'prometheus';
const PROMTOOL = 'promtool';

const missing = [PROMETHEUS, PROMTOOL].filter((program) => !isThere(program));
if (missing.length > 0) {
  process.stderr.write(`skipped: recording rules on a real Prometheus, because of no ${missing.join(' and ')} here\n`);
}

/** Names of nodes and what they measure: a load as it comes, nodes that are alike, one that idles, one overcommitted. */
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
/** Some of them gone, others changed. */
const FEW = new Map<string, Point>([
  ['kwok-node-1', [0.5, 0.1, 0.6, 0.2]],
  ['twin-1', [0.6, 0.05, 0.7, 0.1]],
  ['twin-2', [0.7, 0.02, 0.8, 0.05]],
  ['new', [0.9, 0.2, 0.9, 0.3]],
  ['idle', [0, 0, 0, 0]],
]);
const EQUAL = new Map<string, Point>(['a', 'b', 'c'].map((name) => [name, [0.4, 0.028, 0.5, 0.035]]));

describe.skipIf(missing.length > 0)('the recording rules on a real Prometheus', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-rules-'));
  let nodes = MANY;
  let exporter: Server;
  let prometheus: ChildProcess;
  let url = '';

  beforeAll(async () => {
    exporter = createServer((_request, response) => response.end(exposition(nodes)));
    const target = await portOf(exporter);
    const rules = join(folder, 'rules.yaml');
    const settings = { window: WINDOW, paretoNodes: MANY.size };
    writeFileSync(rules, stringify({ groups: [{ name: 'rebalance', rules: recordingRules(settings) }] }));
    const job = { job_name: 'exporter', static_configs: [{ targets: [`127.0.0.1:${target}`] }] };
    const global = { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' };
    const config = join(folder, 'prometheus.yaml');
    writeFileSync(config, stringify({ global, rule_files: [rules], scrape_configs: [job] }));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`];
    prometheus = spawn(PROMETHEUS, [...flags, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
  });

  afterAll(async () => {
    const gone = new Promise((resolve) => prometheus.once('exit', resolve));
    prometheus.kill();
    await gone;
    exporter.closeAllConnections();
    exporter.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('pass promtool', () => {
    expect(execFileSync(PROMTOOL, ['check', 'rules', join(folder, 'rules.yaml')], { encoding: 'utf8' })).toContain(
      'SUCCESS',
    );
  });

  it.each([
    ['many nodes, some of them alike', MANY],
    ['fewer nodes after that: none that is gone is left', FEW],
    ['nodes that do not differ at all', EQUAL],
  ])('give for %s what the formulas give', async (_title, present) => {
    nodes = present;
    const load = loadOf([...present.values()]);
    await vi.waitFor(
      async () => {
        const recorded = await scores(url);
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

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function exposition(nodes: ReadonlyMap<string, Point>): string {
  const lines = METRICS.flatMap((metric, at) => [
    `# TYPE ${metric} gauge`,
    ...[...nodes].map(([name, point]) => `${metric}{node="${name}"} ${point[at]}`),
  ]);
  return `${lines.join('\n')}\n`;
}

/** What is recorded now: by name of the rule, by node. */
async function scores(url: string): Promise<Map<string, Record<string, number>>> {
  const query = encodeURIComponent('{__name__=~"descheduler:node:.+"}');
  const answer = await fetch(`${url}/api/v1/query?query=${query}`);
  const { data } = (await answer.json()) as {
    data: { result: { metric: { __name__: string; instance: string }; value: [number, string] }[] };
  };
  const found = new Map<string, Record<string, number>>();
  for (const { metric, value } of data.result) {
    found.set(metric.__name__, { ...found.get(metric.__name__), [metric.instance]: Number(value[1]) });
  }
  return found;
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
