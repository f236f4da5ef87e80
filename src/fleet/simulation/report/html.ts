import { type ChartData, chart, escapeXml, formatTime } from './chart.ts';
import type { HeatMap } from './heat-map.ts';
import type { MigrationRow } from './migration-row.ts';
import type { Sample } from './sample.ts';
import type { RunConfig, RunExtent, RunResults } from './summary.ts';

const MAX_ROWS = 20;

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
    ...charts(setting, reached, samples, completed(found)).map(chart),
    heat.svg('CPU usage by node', reached.simulated_seconds),
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
    ['problems', `${problems.length}`],
  ];
}

function violationTable({ violations }: RunResults): string {
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

function oscillationTable({ oscillations }: RunResults): string {
  return table(
    'VMs with the most oscillation',
    ['machine', 'moves', 'returns', 'soonest'],
    oscillations
      .slice(0, MAX_ROWS)
      .map(({ vm, moves, returns, soonest }) => [vm, `${moves}`, `${returns}`, formatTime(soonest)]),
  );
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
      times,
      lines: [line('there', 'vms'), line('running', 'running'), line('pending', 'pending')],
    },
    {
      title: 'Migrations per hour',
      unit: 'count',
      times: hours.map((_, hour) => Math.min(lasted, (hour + 1) * 3600)),
      lines: [{ name: 'completed', values: hours }],
    },
  ];
}

function table(title: string, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeXml(cell)}</${tag}>`).join('')}</tr>`;
  return `<h2>${escapeXml(title)}</h2><table>${row(headings, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table>`;
}

/** Style with the color-blind safe palette of Okabe and Ito, in light and dark variants. */
const STYLE = `
:root{color-scheme:light dark;--back:#fff;--text:#1b1b1b;--faint:#ddd;--c0:#d55e00;--c1:#0072b2;--c2:#009e73;--c3:#cc79a7;--down:#888;--h0:#e6f0f7;--h1:#b5d4e9;--h2:#6baed6;--h3:#fdbe6f;--h4:#e8743b;--h5:#a50f15}
@media (prefers-color-scheme:dark){:root{--back:#16181c;--text:#e6e6e6;--faint:#3a3d42;--c0:#ff8c42;--c1:#56b4e9;--c2:#2fd09b;--c3:#e39ac0;--down:#666;--h0:#1d2a33;--h1:#24506e;--h2:#2f86b8;--h3:#b9812f;--h4:#e8743b;--h5:#ff4d4d}}
body{background:var(--back);color:var(--text);font:15px/1.45 system-ui,sans-serif;max-width:960px;margin:2rem auto;padding:0 1rem}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr));gap:.6rem}dt{opacity:.7;font-size:.85em}dd{margin:0}
figure{margin:1.6rem 0}svg{width:100%;height:auto}svg text{font-size:12px;fill:var(--text)}
.grid{stroke:var(--faint)}.limit{stroke:var(--c0);stroke-dasharray:4 4}.line{fill:none;stroke-width:1.6}
.line-0{stroke:var(--c0)}.line-1{stroke:var(--c1)}.line-2{stroke:var(--c2)}.line-3{stroke:var(--c3)}
.key{display:inline-block;width:.8em;height:.8em;margin-right:.35em;border-radius:2px}
.key-0{background:var(--c0)}.key-1{background:var(--c1)}.key-2{background:var(--c2)}.key-3{background:var(--c3)}
.heat--1{fill:var(--down);background:var(--down)}.heat-0{fill:var(--h0);background:var(--h0)}.heat-1{fill:var(--h1);background:var(--h1)}.heat-2{fill:var(--h2);background:var(--h2)}.heat-3{fill:var(--h3);background:var(--h3)}.heat-4{fill:var(--h4);background:var(--h4)}.heat-5{fill:var(--h5);background:var(--h5)}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.2rem .6rem;border-bottom:1px solid var(--faint)}
`;
