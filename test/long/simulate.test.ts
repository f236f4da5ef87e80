import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const LAUNCHER = resolve(import.meta.dirname, '../../bin/vimana');
const EXAMPLES = resolve(import.meta.dirname, '../../examples/simulation');
const folder = mkdtempSync(join(tmpdir(), 'vimana-simulate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const simulate = (...args: string[]) =>
  spawnSync(LAUNCHER, ['simulate', ...args], { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: folder } });

/** Starts a day in real time, and resolves when it writes. */
async function begun(out: string): Promise<ChildProcess> {
  const args = ['simulate', '--scenario', busy, '--speed', '60', '--out', out];
  const child = spawn(LAUNCHER, args, { env: { PATH: process.env['PATH'], HOME: folder }, stdio: 'ignore' });
  await expect.poll(() => existsSync(join(out, 'cluster.csv')), { timeout: 60_000 }).toBe(true);
  return child;
}

/** A scenario with every kind of event, on few nodes. */
const BUSY = `apiVersion: simulation.node-classifier.io/v1alpha1
kind: SimulationScenario
metadata: { name: busy }
spec:
  duration: 3h
  nodes: [{ name: rack, count: 4, cpu: "8", memory: 32Gi }]
  profiles:
    - name: restless
      cpu: { type: randomWalk, randomWalk: { start: 0.5, step: 0.2, max: 1.5 } }
      memory: { type: constant, constant: { value: 0.5 } }
  vmPools:
    - { name: web, count: 12, resources: { cpu: "1", memory: 2Gi }, profile: restless, dirtyRateMbps: 100 }
  hotSpots: [{ name: hot, nodes: [rack-1] }]
  timeline:
    - { at: 30m, action: failNodes, nodes: [rack-3] }
    - { at: 60m, action: recoverNodes, nodes: [rack-3] }
    - { at: 90m, action: addNodes, nodeGroup: rack, count: 1 }
    - { at: 100m, action: pause }
    - { at: 120m, action: removeNodes, nodes: [rack-2] }
  taskGenerators:
    - name: pile
      hotSpot: hot
      arrivals: { type: poisson, ratePerHour: 60 }
      cpu: { type: normal, mean: 1, stddev: 0.2 }
      memoryGi: { type: uniform, min: 0, max: 0.5 }
      lifetimeSeconds: { type: exponential, mean: 900 }
    - name: build
      creates: vm
      arrivals: { type: exponential, mean: 600 }
      cpu: { value: 1 }
      memoryGi: { value: 1 }
      lifetimeSeconds: { type: normal, mean: 900, stddev: 200, min: 60 }
  conditionalEvents:
    - name: relief
      when: { scope: node, metric: cpuUsage, threshold: 0.9, for: 5m }
      actions: [{ action: migrate, pool: web, count: 1 }]
`;
const busy = join(folder, 'busy.yaml');
writeFileSync(busy, BUSY);

const filesOf = (out: string) =>
  Object.fromEntries(readdirSync(out).map((name) => [name, readFileSync(join(out, name), 'utf8')]));
const lines = (text: string | undefined) => (text ?? '').split('\n').filter((line) => line !== '');

describe('vimana simulate', () => {
  it('writes the same bytes for the same seed, and others for another', () => {
    const out = (name: string) => join(folder, name);
    const one = simulate('--scenario', busy, '--seed', '7', '--out', out('one'));
    expect(one.stderr).toBe('');
    expect(one.status).toBe(0);
    expect(one.stdout).toMatch(/^3h simulated in [\d.]+s: [\d,]+ times real time, peak memory \d+ MiB/);
    expect(simulate('--scenario', busy, '--seed', '7', '--out', out('two')).status).toBe(0);
    expect(simulate('--scenario', busy, '--seed', '8', '--out', out('three')).status).toBe(0);
    const first = filesOf(out('one'));
    expect(filesOf(out('two'))).toEqual(first);
    expect(filesOf(out('three'))['nodes.jsonl']).not.toBe(first['nodes.jsonl']);
    const summary = JSON.parse(first['summary.json'] ?? '{}');
    expect(summary).toMatchObject({
      scenario: 'busy',
      seed: '7',
      duration_seconds: 10_800,
      simulated_seconds: 10_800,
      completed: true,
      events: { timeline: 5, pauses: 1 },
      migrations: { rebalancing_steps: 36 },
      problems: [],
    });
    expect(summary.migrations.completed).toBeGreaterThan(0);
    expect(summary.tasks.generated).toBeGreaterThan(100);
    expect(lines(first['cluster.jsonl'])).toHaveLength(36);
    expect(lines(first['cluster.csv'])).toHaveLength(37);
    expect(lines(first['migrations.jsonl'])).toHaveLength(summary.migrations.completed + summary.migrations.failed);
    // A failed node is down until it recovers, and no VM is moved to it.
    const down = lines(first['nodes.jsonl'])
      .map((line) => JSON.parse(line))
      .filter(({ node, up }) => node === 'rack-3' && !up);
    expect(down.map(({ t }) => t)).toEqual([2100, 2400, 2700, 3000, 3300, 3600]);
    // Its VMs are down from the failure until they start elsewhere: 40 s to notice, and 40 s until they are evicted.
    const outages = lines(first['outages.jsonl']).map((line) => JSON.parse(line));
    expect(outages.length).toBeGreaterThan(0);
    for (const outage of outages.filter(({ cause }) => cause === 'node failure')) {
      expect(outage).toMatchObject({ from: 1800, node: 'rack-3', recovered: true });
      expect(outage.down_seconds).toBeGreaterThanOrEqual(80);
    }
    const { ratio, down_seconds, by_cause } = summary.availability;
    expect(by_cause['node failure'].down_seconds).toBeGreaterThan(0);
    expect(down_seconds).toBe(outages.reduce((sum, outage) => sum + outage.down_seconds, 0));
    expect([ratio > 0.9, ratio < 1]).toEqual([true, true]);
    const moves = lines(first['migrations.jsonl']).map((line) => JSON.parse(line));
    expect(moves.filter(({ t, wanted }) => t > 1900 && t < 3600 && wanted === 'rack-3')).toEqual([]);
  }, 300_000);

  it('compares methods on the same seeds, with the same bytes each time', () => {
    const compare = (name: string) => {
      const flags = ['--compare', 'none,max-metric/Low', '--seeds', '3', '--until', '1h', '--out', join(folder, name)];
      return simulate('--scenario', busy, ...flags);
    };
    const { stdout, stderr, status } = compare('compared');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain("Student's t interval of the mean difference to none, paired by seed.");
    const files = filesOf(join(folder, 'compared'));
    const { seeds, methods, results } = JSON.parse(files['comparison.json'] ?? '{}');
    expect([seeds.length, methods]).toEqual([3, ['none', 'max-metric/Low']]);
    expect(lines(files['runs.csv'])).toHaveLength(7);
    const migrations = results.filter(({ figure }: { figure: string }) => figure === 'migrations');
    // The scenario itself migrates a few, also without rebalancing.
    expect(migrations.map(({ method }: { method: string }) => method)).toEqual(methods);
    const { mean, low, high } = migrations[1].difference;
    expect([mean > 0, low <= mean, mean <= high]).toEqual([true, true, true]);
    expect(compare('again').status).toBe(0);
    expect(filesOf(join(folder, 'again'))).toEqual(files);
  }, 300_000);

  it('simulates an imported trace', () => {
    const file = join(folder, 'imported.yaml');
    const traces = join(EXAMPLES, 'traces');
    const files = ['--vms', join(traces, 'azure-vmtable.csv'), '--usage', join(traces, 'azure-cpu-readings.csv')];
    const imported = spawnSync(LAUNCHER, ['trace', 'import', 'azure', ...files, '--nodes', '3', '--out', file]);
    expect(imported.status).toBe(0);
    const { status } = simulate('--scenario', file, '--out', join(folder, 'imported'));
    expect(status).toBe(0);
    const summary = JSON.parse(filesOf(join(folder, 'imported'))['summary.json'] ?? '{}');
    expect(summary).toMatchObject({ vms: 4, load: { vms_max: 5 }, events: { timeline: 2 }, problems: [] });
  }, 300_000);

  it('ends sooner, moves no VMs, and keeps a given speed on request', () => {
    const out = join(folder, 'short');
    const scenario = join(EXAMPLES, 'scenario-small.yaml');
    const flags = ['--until', '2m', '--speed', '60', '--no-rebalance', '--nodes', '2', '--sample', '1m'];
    const { stdout, status } = simulate('--scenario', scenario, ...flags, '--out', out);
    expect(status).toBe(0);
    const times = Number(/: ([\d,]+) times/.exec(stdout)?.[1]?.replaceAll(',', ''));
    expect(times).toBeLessThanOrEqual(60);
    const summary = JSON.parse(filesOf(out)['summary.json'] ?? '{}');
    expect(summary).toMatchObject({ nodes: 2, vms: 4, duration_seconds: 120, migrations: { rebalancing_steps: 0 } });
    expect(summary).not.toHaveProperty('rebalance');
  }, 120_000);

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'completes its report on %s, and reports how far it came',
    async (signal, code) => {
      const out = join(folder, signal);
      mkdirSync(out);
      writeFileSync(join(out, 'summary.json'), 'of an earlier report');
      const child = await begun(out);
      const other = simulate('--scenario', busy, '--out', out);
      expect(other.stderr).toContain(`another simulation is writing to ${out}`);
      expect(other.status).toBe(1);
      const ended = once(child, 'exit');
      child.kill(signal);
      expect(await ended).toEqual([code, null]);
      const { 'summary.json': summary, 'report.html': page, ...rest } = filesOf(out);
      const { simulated_seconds: simulated, ...told } = JSON.parse(summary ?? '{}');
      expect(told).toMatchObject({ duration_seconds: 10_800, completed: false });
      expect(simulated).toBeLessThan(10_800);
      expect(page).toContain('of 3:00 h from');
      expect(Object.keys(rest)).toHaveLength(14);
    },
    120_000,
  );

  it('reuses the directory of a simulation that was killed', async () => {
    const out = join(folder, 'killed');
    const child = await begun(out);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect(filesOf(out)).not.toHaveProperty('summary.json');
    expect(simulate('--scenario', busy, '--until', '2m', '--out', out).status).toBe(0);
    expect(Object.keys(filesOf(out))).toHaveLength(16);
  }, 120_000);

  it('reports everything that is wrong with a scenario at once, with its lines', () => {
    const wrong = join(folder, 'wrong.yaml');
    writeFileSync(
      wrong,
      BUSY.replace('duration: 3h', 'duration: 90m')
        .replace('nodes: [rack-3] }', 'nodes: [x-3] }')
        .replace('hotSpot: hot', 'hotSpot: cold'),
    );
    const { stderr, status } = simulate('--scenario', wrong, '--out', join(folder, 'never'));
    expect(status).toBe(1);
    expect(stderr.split('\n').filter((line) => line.startsWith('  '))).toEqual([
      expect.stringMatching(/wrong\.yaml:15:\d+: spec\.timeline\[0\]\.nodes\[0\]: Invalid value: "x-3"/),
      expect.stringMatching(/wrong\.yaml:18:\d+: spec\.timeline\[3\]\.at: Invalid value: "100m"/),
      expect.stringMatching(/wrong\.yaml:19:\d+: spec\.timeline\[4\]\.at: Invalid value: "120m"/),
      expect.stringMatching(/wrong\.yaml:22:\d+: spec\.taskGenerators\[0\]\.hotSpot: Invalid value: "cold"/),
    ]);
    expect(readdirSync(folder)).not.toContain('never');
  });

  it.each([
    [['--scenario', busy, '--until', '4h'], 'the scenario lasts 3h'],
    [['--scenario', join(EXAMPLES, 'sample_scenarios.json')], 'does not contain a SimulationScenario'],
    [['--scenario', `${busy}#other`], 'does not contain a SimulationScenario "other"; it contains busy'],
    [['--scenario', busy, '--speed', 'fast', '--resolution', '0', '--sample', '1ms'], '--speed fast'],
    [['--scenario', busy, '--out', folder], 'which is not part of a report'],
    [['--scenario', busy, '--out', '/proc/x'], 'cannot write to /proc/x'],
    [['--scenario', busy, '--out', busy], `cannot write to ${busy}`],
  ])('rejects %j', (args, why) => {
    const { stderr, status } = simulate(...args);
    expect(status).toBeGreaterThan(0);
    expect(stderr).toContain(why);
  });
});
