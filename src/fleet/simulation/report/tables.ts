import { escapeXml, formatTime } from './chart.ts';
import { formatPercent, formatSeconds } from './format-figure.ts';
import { type Percentiles, percentilesOf } from './percentiles.ts';
import type { Sample } from './sample.ts';
import { availabilityOf, type RunResults } from './summary.ts';

/** Maximum number of rows of a table. The files of the report have all. */
export const MAX_ROWS = 20;
const MAX_EVENTS = 60;

/** Compares the first sample with the last one. */
export function changeTable({ samples }: RunResults): string {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return '';
  const row = (name: string, figure: keyof Sample, format: (value: number) => string) => [
    name,
    format(first[figure]),
    format(last[figure]),
  ];
  const count = (value: number) => `${value}`;
  return table(
    'Before and after',
    ['figure', `first sample, ${formatTime(first.t)}`, `last sample, ${formatTime(last.t)}`],
    [
      row('CPU usage, mean', 'cpu_mean', formatPercent),
      row('CPU usage, busiest node', 'cpu_max', formatPercent),
      row('CPU usage, standard deviation', 'cpu_sigma', formatPercent),
      row('memory usage, fullest node', 'memory_max', formatPercent),
      row('memory usage, standard deviation', 'memory_sigma', formatPercent),
      row('nodes up', 'nodes_up', count),
      row('VMs running', 'running', count),
      row('VMs pending', 'pending', count),
    ],
  );
}

export function percentileTable(found: RunResults): string {
  const row = (name: string, values: Percentiles, format: (value: number) => string) => [
    name,
    ...[values.p50, values.p95, values.p99, values.max].map((value) => format(value)),
  ];
  const transfers = found.migrations.filter(({ error }) => error === '').map((each) => each.transfer_seconds);
  const { outage_seconds } = availabilityOf(found);
  return table(
    'Percentiles',
    ['figure', 'p50', 'p95', 'p99', 'max'],
    [
      row('CPU usage of a node', found.nodeCpu, formatPercent),
      row('memory usage of a node', found.nodeMemory, formatPercent),
      row('outage of a VM', outage_seconds, formatSeconds),
      row('memory transfer of a migration', percentilesOf(transfers), formatSeconds),
    ],
  );
}

/** Lists the events with the last sample before and the first one after them. */
export function eventTable({ events, samples }: RunResults): string {
  const rows = events.slice(0, MAX_EVENTS).map(({ t, cause, name, action, what }, at) => {
    const after = samples.find((sample) => sample.t > t);
    const before = samples.findLast((sample) => sample.t <= t);
    const change = (figure: keyof Sample, format: (value: number) => string) =>
      `${before === undefined ? '-' : format(before[figure])} → ${after === undefined ? '-' : format(after[figure])}`;
    return [
      `${at + 1}`,
      formatTime(t),
      cause === 'timeline' ? action : `${name}: ${action}`,
      what,
      change('running', (value) => `${value}`),
      change('cpu_max', formatPercent),
      change('cpu_sigma', formatPercent),
    ];
  });
  const more = events.length > MAX_EVENTS ? ` (the first ${MAX_EVENTS} of ${events.length})` : '';
  return table(
    `Events, with the samples before and after${more}`,
    ['', 'time', 'event', 'what', 'VMs running', 'CPU, busiest node', 'CPU, deviation'],
    rows,
  );
}

export function outageTable({ outages }: RunResults): string {
  const longest = outages
    .toSorted((a, b) => b.down_seconds - a.down_seconds || a.from - b.from || (a.vm < b.vm ? -1 : 1))
    .slice(0, MAX_ROWS);
  return table(
    'Longest outages of VMs',
    ['VM', 'node', 'cause', 'from', 'for', 'then'],
    longest.map(({ vm, node, cause, from, down_seconds, recovered }) => [
      ...[vm, node, cause, formatTime(from), formatSeconds(down_seconds)],
      recovered ? 'ran again' : 'still down',
    ]),
  );
}

export function violationTable({ violations }: RunResults): string {
  const longest = violations
    .toSorted((a, b) => b.to - b.from - (a.to - a.from) || a.from - b.from || (a.node < b.node ? -1 : 1))
    .slice(0, MAX_ROWS);
  return table(
    'Longest SLO violations',
    ['from', 'for', 'SLO', 'node', 'peak', 'VM-hours'],
    longest.map(({ from, to, slo, node, peak, vm_seconds }) => [
      formatTime(from),
      formatTime(to - from),
      slo,
      node === '' ? '-' : node,
      slo === 'placement' ? `${peak}` : `${(peak * 100).toFixed(1)}%`,
      (vm_seconds / 3600).toFixed(1),
    ]),
  );
}

export function oscillationTable({ oscillations }: RunResults): string {
  return table(
    'VMs with the most oscillation',
    ['machine', 'moves', 'returns', 'soonest'],
    oscillations
      .slice(0, MAX_ROWS)
      .map(({ vm, moves, returns, soonest }) => [vm, `${moves}`, `${returns}`, formatTime(soonest)]),
  );
}

function table(title: string, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeXml(cell)}</${tag}>`).join('')}</tr>`;
  return `<h2>${escapeXml(title)}</h2><table>${row(headings, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table>`;
}
