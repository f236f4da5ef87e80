import { type ChartData, chart, escapeXml, formatTime, type Marker } from './chart.ts';
import { formatPercent, formatSeconds } from './format-figure.ts';
import type { HeatMap } from './heat-map.ts';
import type { MigrationRow } from './migration-row.ts';
import type { Sample } from './sample.ts';
import { STYLE } from './style.ts';
import { availabilityOf, type EventRow, type RunConfig, type RunExtent, type RunResults } from './summary.ts';
import {
  changeTable,
  eventTable,
  MAX_ROWS,
  oscillationTable,
  outageTable,
  percentileTable,
  violationTable,
} from './tables.ts';

/** Number of events that are marked in the charts. */
const MAX_MARKERS = 40;

/** Renders the report as one page without scripts or external resources. */
export function html(setting: RunConfig, found: RunResults, heat: HeatMap): string {
  const { samples, problems, reached } = found;
  const title = `Simulation of ${escapeXml(setting.scenario)}`;
  const facts = factsOf(setting, found).map(
    ([name, value]) => `<div><dt>${name}</dt><dd>${escapeXml(value)}</dd></div>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title><style>${STYLE}</style></head><body>`,
    `<h1>${title}</h1>`,
    `<dl>${facts.join('')}</dl>`,
    changeTable(found),
    percentileTable(found),
    ...charts(setting, reached, samples, completed(found)).map((data) =>
      chart({ ...data, markers: markersOf(found.events) }),
    ),
    heat.svg('CPU usage by node', reached.simulated_seconds),
    eventTable(found),
    outageTable(found),
    violationTable(found),
    oscillationTable(found),
    problems.length === 0
      ? ''
      : `<h2>Problems</h2><ul>${problems
          .slice(0, MAX_ROWS)
          .map((problem) => `<li>${escapeXml(problem)}</li>`)
          .join('')}</ul>`,
    '</body></html>',
    '',
  ].join('\n');
}

const completed = ({ migrations }: RunResults) => migrations.filter(({ error }) => error === '');

function factsOf(setting: RunConfig, found: RunResults): [string, string][] {
  const { migrations, violations, oscillations, problems, reached } = found;
  const done = completed(found).length;
  const returns = oscillations.reduce((sum, each) => sum + each.returns, 0);
  const broken = violations.reduce((sum, { from, to }) => sum + to - from, 0);
  const { rebalance } = setting;
  return [
    ['simulated', formatSimulated(setting, reached)],
    ['nodes and VMs', `${setting.nodes} and ${setting.vms} at the start`],
    ['seed', setting.seed],
    [
      'rebalancing',
      rebalance === undefined
        ? 'none'
        : `every ${formatTime(rebalance.every_seconds)} h: ${rebalance.algorithm}, ${rebalance.mode}, ${rebalance.planner}`,
    ],
    ['migrations', `${done} completed, ${migrations.length - done} failed`],
    ['oscillation', `${returns} returns of ${oscillations.length} VMs`],
    ['SLO violations', `${violations.length} violations, ${formatTime(broken)} node hours in total`],
    ...availabilityFacts(found),
    ['problems', `${problems.length}`],
  ];
}

function availabilityFacts(found: RunResults): [string, string][] {
  const { ratio, outages, vms_affected, down_seconds, outage_seconds } = availabilityOf(found);
  const { peak } = found;
  return [
    ['availability', `${formatPercent(ratio, 4)}: ${formatTime(down_seconds)} VM hours down`],
    [
      'outages',
      outages === 0
        ? 'none'
        : `${outages} of ${vms_affected} VMs: half within ${formatSeconds(outage_seconds.p50)}, 99% within ${formatSeconds(outage_seconds.p99)}`,
    ],
    ...(peak === undefined
      ? []
      : ([['busiest node', `${peak.node} at ${formatTime(peak.t)}: ${formatPercent(peak.cpu)}`]] as [
          string,
          string,
        ][])),
  ];
}

/** Returns a marker for each time at which events happened, with the number of the first in the table of events. */
function markersOf(events: readonly EventRow[]): readonly Marker[] {
  const times = Map.groupBy(
    events.map((event, at) => ({ ...event, number: at + 1 })),
    ({ t }) => t,
  );
  return [...times].slice(0, MAX_MARKERS).map(([t, some]) => ({
    t,
    number: `${some[0]?.number ?? ''}`,
    title: some.map(({ number, action, what }) => `${number}: ${action} ${what}`.trimEnd()).join('\n'),
  }));
}

function formatSimulated(
  { duration_seconds, start }: RunConfig,
  { simulated_seconds, completed: isCompleted }: RunExtent,
): string {
  const whole = `${formatTime(duration_seconds)} h`;
  return isCompleted
    ? `${whole} from ${start}`
    : `${formatTime(simulated_seconds)} h of ${whole} from ${start}: stopped before the end`;
}

function charts(
  setting: RunConfig,
  { simulated_seconds: lasted }: RunExtent,
  samples: readonly Sample[],
  done: readonly MigrationRow[],
): ChartData[] {
  const times = samples.map(({ t }) => t);
  const line = (name: string, figure: Exclude<keyof Sample, 't'>) => ({
    name,
    values: samples.map((sample) => sample[figure]),
  });
  const hours = Array.from({ length: Math.max(1, Math.ceil(lasted / 3600)) }, () => 0);
  for (const { t } of done) {
    const hour = Math.min(hours.length - 1, Math.floor(t / 3600));
    hours[hour] = (hours[hour] ?? 0) + 1;
  }
  return [
    {
      title: 'CPU usage',
      unit: 'share',
      times,
      lines: [line('busiest node', 'cpu_max'), line('mean', 'cpu_mean'), line('standard deviation', 'cpu_sigma')],
      limit: setting.slo.cpu,
    },
    {
      title: 'Memory usage',
      unit: 'share',
      times,
      lines: [
        line('fullest node', 'memory_max'),
        line('mean', 'memory_mean'),
        line('standard deviation', 'memory_sigma'),
      ],
      limit: setting.slo.memory,
    },
    {
      title: 'Highest pressure of any node',
      unit: 'share',
      times,
      lines: [line('CPU', 'cpu_pressure_max'), line('memory', 'memory_pressure_max')],
    },
    {
      title: 'Machines',
      unit: 'count',
      shape: 'step',
      times,
      lines: [line('there', 'vms'), line('running', 'running'), line('pending', 'pending')],
    },
    {
      title: 'Migrations per hour',
      unit: 'count',
      shape: 'step',
      times: hours.map((_, hour) => Math.min(lasted, (hour + 1) * 3600)),
      lines: [{ name: 'completed', values: hours }],
    },
  ];
}
