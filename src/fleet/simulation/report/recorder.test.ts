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
  recorder.finish(counters, 24, reached);
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
