import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ALGORITHMS } from '#fleet/rebalance/algorithms';
import { ConfigError } from '#platform/base/errors';
import { FakeClock } from '#platform/base/fake-clock';
import { memoryIo } from '#testing/memory-io';
import { reportedError } from '../failure.ts';
import { type FindExporter, rebalanceCommand } from './command.ts';

const SAMPLES = readFileSync('examples/simulation/sample_scenarios.json', 'utf8');
const files: Readonly<Record<string, string>> = {
  'samples.json': SAMPLES,
  'one.json': '{"only": [{"name": "a", "cpu_usage": 0.9}, {"name": "b,\\"c\\"", "cpu_usage": 0.1}]}',
  'wrong.json': '{"s": [{"cpu_usage": 2, "x": 1}]}',
  'no.json': '{',
};

/** Clock that advances by 20 ms whenever it is read. */
class LivelyClock extends FakeClock {
  #looks = 0;

  override monotonic(): number {
    return 20 * this.#looks++;
  }
}

async function rebalance(
  line: string,
  more: Readonly<Record<string, string>> = {},
  findExporter: FindExporter = async () => undefined,
) {
  const io = memoryIo({ ...files, ...more });
  let code = 0;
  try {
    const interrupted = () => new AbortController().signal;
    const command = rebalanceCommand({ io, clock: new LivelyClock(), interrupted, findExporter });
    for (const each of [command, ...command.commands]) {
      each.exitOverride().configureOutput({ writeOut: io.out, writeErr: io.err });
    }
    await command.parseAsync(line.split(' '), { from: 'user' });
  } catch (error) {
    code = reportedError(error, io, { debug: true });
  }
  return { ...io.printed, code };
}

describe('vimana rebalance', () => {
  it('classifies the nodes of a file', async () => {
    const { out, err } = await rebalance('classify --scenario one.json --algorithm cpu-focused --mode low -o json');
    // 0.7 * 0.9 and 0.7 * 0.1 have a mean of 0.35.
    expect(JSON.parse(out)).toMatchObject([
      { node: 'a', score: 0.63, bucket: 'over' },
      { node: 'b,"c"', bucket: 'under' },
    ]);
    expect(err).toBe('mean score 0.3500: under up to 0.2500, over from 0.4500\n');
  });

  it('quotes special characters in CSV', async () => {
    const { out } = await rebalance('rank --scenario one.json --algorithm max-metric -o csv');
    expect(out).toBe('algorithm,rank,node,score\nmax-metric,1,a,0.9\nmax-metric,2,"b,""c""",0.1\n');
  });

  it('ranks nodes by all algorithms', async () => {
    const { out } = await rebalance('rank --scenario samples.json#light_load -o json');
    const rows = JSON.parse(out) as { algorithm: string }[];
    expect(new Set(rows.map(({ algorithm }) => algorithm))).toEqual(new Set(ALGORITHMS.map(({ id }) => id)));
    expect(rows).toHaveLength(19 * 6);
  });

  it('plans a step in the format of the exporter, within the limits', async () => {
    const { out } = await rebalance('step --scenario samples.json#mixed_load --per-step 3 --per-node 1 -o json');
    const { migrations } = JSON.parse(out) as { migrations: { vm_id: string; from_node: string; to_node: string }[] };
    expect(migrations).toHaveLength(3);
    expect(new Set(migrations.map(({ from_node }) => from_node)).size).toBe(3);
    expect(Object.keys(migrations[0] ?? {})).toEqual(['vm_id', 'from_node', 'to_node']);
  });

  it('generates the load of the sample for the same seed', async () => {
    const file = await rebalance('classify --scenario samples.json#mixed_load');
    expect(await rebalance('classify --load mixed --seed 1')).toEqual(file);
    expect((await rebalance('classify --seed 2')).out).not.toBe(file.out);
  });

  it.each([
    ['light', 'light_load'],
    ['mixed', 'mixed_load'],
    ['heavy', 'heavy_load'],
    ['progression', 'simple_progression'],
  ])('prints the load %s as the sample has it', async (load, name) => {
    const { out, code } = await rebalance(`scenario --load ${load} --seed 1`);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ [name]: JSON.parse(SAMPLES)[name] });
  });

  it('prints loads that it can read', async () => {
    const { out } = await rebalance('scenario --load light --nodes 3 --vms 20 --seed 5');
    const made = await rebalance('classify --load light --nodes 3 --vms 20 --seed 5');
    expect(await rebalance('classify --scenario made.json', { 'made.json': out })).toEqual(made);
    const [nodes = []] = Object.values(JSON.parse(out) as Record<string, { readonly vms: readonly object[] }[]>);
    expect(nodes.flatMap(({ vms }) => vms)).toHaveLength(20);
    expect((await rebalance('scenario --scenario samples.json')).code).toBe(2);
  });

  it.each(['table', 'csv', 'json', 'plot', 'svg'])(
    'benchmarks as %s, with the same bytes for the same seed',
    async (format) => {
      const line = `benchmark --algorithm max-metric,cpu-focused --planner random,best-fit --steps 10 -o ${format}`;
      const { out, code } = await rebalance(line);
      expect(code).toBe(0);
      expect(out.length).toBeGreaterThan(200);
      expect(out).toBe((await rebalance(line)).out);
    },
  );

  it('draws an SVG that is valid XML, with a line for each curve', async () => {
    const { out } = await rebalance('benchmark --algorithm max-metric --planner best-fit,random --mode Low -o svg');
    expect(out).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^]*<\/svg>\n$/);
    expect(out.match(/<polyline /g)).toHaveLength(2);
  });

  it('converts time to a number of plans that reproduces the run', async () => {
    const { out, err } = await rebalance('step --planner fewest-moves --time-budget 10ms');
    // Evaluating 200 plans took 20 ms, so 10 ms suffice for 100.
    expect(err).toContain('the search evaluates up to 100 plans per step; --budget 100 reproduces this run\n');
    expect((await rebalance('step --planner fewest-moves --budget 100')).out).toBe(out);
  });

  it('prints rules for every algorithm, and a policy that uses one of them', async () => {
    const rules = parse((await rebalance('rules --window 5m')).out) as { groups: { rules: { record: string }[] }[] };
    const recorded = rules.groups[0]?.rules.map(({ record }) => record) ?? [];
    expect(new Set(recorded).size).toBe(recorded.length);
    for (const { id } of ALGORITHMS) expect(recorded).toContain(`descheduler:node:${id.replaceAll('-', '_')}:avg5m`);
    const { out } = await rebalance('policy --algorithm cpu-focused --mode Medium --window 5m --prometheus http://p:1');
    expect(parse(out)).toMatchObject({
      kind: 'DeschedulerPolicy',
      metricsProviders: [{ prometheus: { url: 'http://p:1' } }],
      profiles: [
        {
          pluginConfig: [
            {},
            {
              args: {
                thresholds: { MetricResource: 20 },
                targetThresholds: { MetricResource: 20 },
                metricsUtilization: { prometheus: { query: 'clamp(descheduler:node:cpu_focused:avg5m, 0, 1)' } },
              },
            },
          ],
        },
      ],
    });
  });

  it('wraps rules for the Prometheus operator', async () => {
    expect(parse((await rebalance('rules -o prometheusrule')).out)).toMatchObject({ kind: 'PrometheusRule' });
  });

  it('uses the exporter of the running instance unless a flag names another', async () => {
    const find = async () => 'http://127.0.0.1:9';
    expect((await rebalance('run --dry-run', {}, find)).err).toContain('cannot be reached at http://127.0.0.1:9');
    const fail = () => Promise.reject(new ConfigError('2 Vimana instances are running'));
    expect(await rebalance('run', {}, fail)).toMatchObject({ code: 1, err: expect.stringContaining('2 Vimana') });
    expect((await rebalance('run --exporter http://127.0.0.1:9', {}, fail)).err).toContain('at http://127.0.0.1:9');
  });

  it.each([
    ['run --patience 1m', 2, '--patience needs --prometheus.'],
    ['run --exporter exporter:8000', 2, 'It must be an address such as http://127.0.0.1:8000.'],
    ['run --exporter http://127.0.0.1:9 --dry-run', 1, 'the exporter cannot be reached at http://127.0.0.1:9'],
    [
      'run --exporter http://127.0.0.1:9',
      1,
      'vimana up runs one, and vimana status prints its address for --exporter.',
    ],
    ['run --exporter http://127.0.0.1:1 --dry-run', 1, 'port 1 is reserved for another protocol'],
    ['classify --scenario samples.json', 1, 'contains several scenarios: light_load, mixed_load,'],
    ['classify --scenario samples.json#none', 1, 'does not contain the scenario "none"; it contains light_load,'],
    ['classify --scenario gone.json', 1, 'cannot read gone.json: no such file'],
    ['classify --scenario no.json', 1, 'no.json is not JSON'],
    ['classify --scenario wrong.json', 1, 's[0].x: Forbidden: unknown field'],
    ['classify --scenario wrong.json', 1, 's[0].name: Required value'],
    ['classify --scenario one.json --load heavy --vms 3', 2, '--scenario cannot be combined with --load, --vms.'],
    ['classify --nodes 5001', 2, '--nodes 5001: It must be a whole number from 1 to 5000.'],
    ['step --algorithm best', 2, '--algorithm best: best is not one of weighted-average,'],
    ['step --mode Low,High', 2, '--mode Low,High: It must be a single name.'],
    ['step --budget 3 --time-budget 1s', 2, '--budget and --time-budget cannot be combined.'],
    ['rules --window 1', 2, '--window 1: It must be a number with ms, s, m, h or d, such as 1m.'],
    ['policy --prometheus there', 2, '--prometheus there: It must be an address such as http://prometheus:9090.'],
  ])('rejects %s', async (line, code, words) => {
    const result = await rebalance(line);
    expect(result.err).toContain(words);
    expect(result).toMatchObject({ code, out: '' });
  });
});
