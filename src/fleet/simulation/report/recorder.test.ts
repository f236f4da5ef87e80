import { expect, it } from 'vitest';
import type { ViewedNode } from '../engine/scenario-view.ts';
import type { Migration } from '../runner/migrator.ts';
import type { Output } from './output.ts';
import { Recorder } from './recorder.ts';
import type { RunConfig } from './summary.ts';

const START = Date.UTC(2030, 0, 1);
const setting: RunConfig = {
  scenario: '<b>day</b>',
  seed: '1',
  start: '2030-01-01T00:00:00.000Z',
  duration_seconds: 7200,
  nodes: 2,
  vms: 3,
  sample_seconds: 3600,
  resolution: 0.1,
  slo: { cpu: 0.9, memory: 0.95 },
};
const node = (name: string, cpuUsage: number, up = true): ViewedNode => ({
  name,
  up,
  cpuUsage,
  cpuPressure: 0.1,
  memoryUsage: 0.4,
  memoryPressure: 0.2,
  vmCount: 2,
});
const moved = (from: string, to: string, minute: number, error = ''): Migration => ({
  vm: 'web-1',
  from,
  desired: to,
  to: error === '' ? to : '',
  cause: 'rebalance',
  begunAt: START + minute * 60_000,
  endedAt: START + minute * 60_000 + 5000,
  transferMs: 4000,
  downMs: 1000,
  error,
});

/** Keeps all output in memory. */
function kept(): { output: Output; rows: Map<string, object[]>; files: Map<string, string> } {
  const rows = new Map<string, object[]>();
  const files = new Map<string, string>();
  const output: Output = {
    row: (series, row) => void rows.set(series, [...(rows.get(series) ?? []), row]),
    file: (name, text) => void files.set(name, text),
    close: () => {},
  };
  return { output, rows, files };
}

function recorded(reached = { simulated_seconds: 7200, completed: true }) {
  const { output, rows, files } = kept();
  const recorder = new Recorder(output, setting, START);
  const counts = { vms: 3, running: 3, pending: 0, moving: 0, tasks: 1 };
  recorder.sample(3_600_000, [node('a', 0.2), node('b', 1)], counts);
  recorder.recordMigration(moved('a', 'b', 61));
  recorder.recordMigration(moved('b', 'a', 70));
  recorder.recordMigration(moved('a', 'b', 80, 'no room'));
  recorder.recordEvent({ at: 0, cause: 'timeline', name: '1', action: 'pause', what: '' });
  recorder.recordEvent({ at: 5_000_000, cause: 'timeline', name: '2', action: 'failNodes', what: 'b' });
  const from = START + 5_000_000;
  recorder.recordOutage({ vm: 'web-1', node: 'b', cause: 'node failure', from, to: from + 80_000, isOver: true });
  recorder.problem('create web-9: <refused>');
  recorder.sample(7_200_000, [node('a', 0.4), node('b', 0, false)], counts);
  const counters = {
    vms: 3,
    appliedEvents: 1,
    totalTasksGenerated: 4,
    droppedTasks: 1,
    activeTasks: 2,
    conditionalEvents: [{ name: 'relief', times: 2 }],
  };
  recorder.finish(counters, 24, reached, { expectedMs: 8_000_000, downMs: 80_000 });
  return { rows, files, summary: JSON.parse(files.get('summary.json') ?? '{}') };
}

it('writes samples of the cluster and of nodes, excluding those that are down', () => {
  const { rows } = recorded();
  expect(rows.get('cluster')).toMatchObject([
    { t: 3600, nodes_up: 2, cpu_mean: 0.6, cpu_max: 1, cpu_sigma: 0.4, migrations: 0 },
    { t: 7200, nodes_up: 1, cpu_mean: 0.4, cpu_max: 0.4, cpu_sigma: 0, migrations: 2 },
  ]);
  expect(rows.get('nodes')).toHaveLength(4);
  expect(rows.get('violations')).toEqual([{ from: 0, to: 3600, slo: 'cpu', node: 'b', peak: 1, vm_seconds: 7200 }]);
});

it('writes a summary', () => {
  expect(recorded().summary).toMatchObject({
    load: { cpu_max: 1, cpu_mean: 0.5 },
    migrations: {
      rebalancing_steps: 24,
      completed: 2,
      failed: 1,
      as_planned: 2,
      transfer_seconds_mean: 4,
      down_seconds: 2,
    },
    oscillation: { machines: 1, returns: 1, share: 0.5 },
    slo_violations: { cpu: { count: 1, seconds: 3600 }, memory: { count: 0 }, placement: { count: 0 } },
    events: { timeline: 1, conditional: { relief: 2 }, pauses: 1 },
    tasks: { generated: 4, dropped: 1, active_at_end: 2 },
    problems: ['create web-9: <refused>'],
  });
});

it('summarizes downtime, percentiles, the busiest node, and the first and last sample', () => {
  const { summary, rows } = recorded();
  expect(rows.get('outages')).toEqual([
    { from: 5000, to: 5080, vm: 'web-1', node: 'b', cause: 'node failure', down_seconds: 80, recovered: true },
  ]);
  expect(summary.availability).toMatchObject({
    ...{ ratio: 0.99, vm_seconds: 8000, down_seconds: 80, outages: 1, vms_affected: 1, unrecovered: 0 },
    outage_seconds: { p50: 80, p95: 80, p99: 80, max: 80 },
    by_cause: { 'node failure': { outages: 1, down_seconds: 80 }, migration: { outages: 0, down_seconds: 0 } },
  });
  expect(summary.load).toMatchObject({
    node_cpu: { p50: 0.4, p95: 1, p99: 1, max: 1 },
    busiest: { t: 3600, node: 'b', cpu: 1 },
    before: { t: 3600, cpu_sigma: 0.4 },
    after: { t: 7200, cpu_sigma: 0 },
  });
  expect(summary.migrations.transfer_seconds).toEqual({ p50: 4, p95: 4, p99: 4, max: 4 });
});

it('marks events, names nodes, and draws counts as steps', () => {
  const page = recorded().files.get('report.html') ?? '';
  expect(page.match(/class="marker"/g)).toHaveLength(10);
  expect(page).toContain('<title>2: failNodes b</title>');
  expect(page).toMatch(/<text class="name"[^>]*>b<\/text>/);
  expect(page).toContain('99%: 0:01 VM hours down');
  expect(page).toContain('b at 1:00: 100%');
  expect(page).toContain('<td>40% → 0%</td>');
  expect(page).toContain('<td>node failure</td>');
  // Three VMs from the start to the first sample, and on: every value holds until its time.
  const [, steps = ''] = /aria-label="Machines"[\s\S]*?points="([^"]*)"/.exec(page) ?? [];
  const points = steps.split(' ').map((point) => point.split(',').map(Number));
  expect(points).toHaveLength(4);
  expect(points[0]?.[1]).toBe(points[1]?.[1]);
});

it('reports how far it came, and the requested duration', () => {
  expect(recorded().summary).toMatchObject({ duration_seconds: 7200, simulated_seconds: 7200, completed: true });
  expect(recorded().files.get('report.html')).toContain('<dd>2:00 h from 2030');
  const { summary, files } = recorded({ simulated_seconds: 3660, completed: false });
  expect(summary).toMatchObject({ duration_seconds: 7200, simulated_seconds: 3660, completed: false });
  expect(files.get('report.html')).toContain('1:01 h of 2:00 h from 2030-01-01T00:00:00.000Z: stopped');
});

it('renders the page of a run that was stopped before the first sample', () => {
  const { output, files } = kept();
  const counters = { vms: 0, appliedEvents: 0, totalTasksGenerated: 0, droppedTasks: 0, activeTasks: 0 };
  const reached = { simulated_seconds: 0, completed: false };
  new Recorder(output, setting, START).finish({ ...counters, conditionalEvents: [] }, 0, reached);
  expect(files.get('report.html')).not.toMatch(/NaN|undefined|Infinity/);
});

it('renders a page without external resources and scripts, and escapes names', () => {
  const page = recorded().files.get('report.html') ?? '';
  expect(page).not.toMatch(/<script|https?:|src=|@import|url\(/);
  expect(page).toContain('&lt;b&gt;day&lt;/b&gt;');
  expect(page).toContain('prefers-color-scheme:dark');
  expect(page).toContain('&lt;refused&gt;');
  expect(page.match(/<svg/g)).toHaveLength(6);
  expect(page).not.toMatch(/NaN|undefined|Infinity/);
});
