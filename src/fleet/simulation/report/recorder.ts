import type { AppliedEvent } from '../engine/command.ts';
import type { ScenarioCounters } from '../engine/scenario-engine.ts';
import type { ViewedNode } from '../engine/scenario-view.ts';
import type { Outage, Uptime } from '../runner/availability.ts';
import type { Migration } from '../runner/migrator.ts';
import { HeatMap } from './heat-map.ts';
import { html } from './html.ts';
import { type MigrationRow, migrationRow } from './migration-row.ts';
import { oscillations } from './oscillation.ts';
import { type OutageRow, outageRow } from './outage-row.ts';
import type { Output } from './output.ts';
import { Distribution } from './percentiles.ts';
import { type Counts, nodeSampleOf, roundTo6, type Sample, sampleOf } from './sample.ts';
import { type EventRow, type PeakLoad, type RunConfig, type RunExtent, type RunSummary, summaryOf } from './summary.ts';
import { type Violation, Violations } from './violation.ts';

/** Records a run. Rows are written as they come, and the whole at the end. */
export class Recorder {
  readonly #output: Output;
  readonly #setting: RunConfig;
  /** Time of day at which the scenario starts. */
  readonly #start: number;
  readonly #samples: Sample[] = [];
  readonly #migrations: MigrationRow[] = [];
  readonly #violations: Violation[] = [];
  readonly #problems: string[] = [];
  readonly #outages: OutageRow[] = [];
  readonly #events: EventRow[] = [];
  readonly #cpu = new Distribution();
  readonly #memory = new Distribution();
  #peak: PeakLoad | undefined;
  readonly #watch: Violations;
  readonly #heat: HeatMap;
  #pauses = 0;

  constructor(output: Output, setting: RunConfig, start: number) {
    this.#output = output;
    this.#setting = setting;
    this.#start = start;
    this.#heat = new HeatMap(setting.duration_seconds);
    this.#watch = new Violations(setting.slo, (violation) => {
      this.#violations.push(violation);
      output.row('violations', violation);
    });
  }

  sample(time: number, nodes: readonly ViewedNode[], counts: Omit<Counts, 'migrations'>): Sample {
    const t = roundTo6(time / 1000);
    const migrations = this.#migrations.reduce((sum, { error }) => sum + (error === '' ? 1 : 0), 0);
    const sample = sampleOf(t, nodes, { ...counts, migrations });
    this.#samples.push(sample);
    this.#output.row('cluster', sample);
    for (const node of nodes) {
      this.#output.row('nodes', nodeSampleOf(t, node));
      this.#heat.add(t, node.name, node.up ? node.cpuUsage : -1);
      if (node.up) this.#measure(t, node);
    }
    this.#watch.check(t, nodes, counts.pending);
    return sample;
  }

  recordEvent({ at, ...rest }: AppliedEvent): void {
    if (rest.action === 'pause') this.#pauses++;
    const row = { t: roundTo6(at / 1000), ...rest };
    this.#events.push(row);
    this.#output.row('events', row);
  }

  recordOutage(outage: Outage): void {
    const row = outageRow(outage, this.#start);
    this.#outages.push(row);
    this.#output.row('outages', row);
  }

  #measure(t: number, { name, cpuUsage, memoryUsage }: ViewedNode): void {
    this.#cpu.add(cpuUsage);
    this.#memory.add(memoryUsage);
    if (cpuUsage > (this.#peak?.cpu ?? 0)) this.#peak = { t, node: name, cpu: roundTo6(cpuUsage) };
  }

  recordMigration(migration: Migration): void {
    const row = migrationRow(migration, this.#start);
    this.#migrations.push(row);
    this.#output.row('migrations', row);
  }

  problem(text: string): void {
    this.#problems.push(text);
  }

  /** Writes the parts of the report that are only known at the end. */
  finish(counters: ScenarioCounters, steps: number, reached: RunExtent, uptime: Uptime = NO_UPTIME): RunSummary {
    this.#watch.finish();
    const moves = this.#migrations.filter(({ error }) => error === '').map((row) => ({ ...row, at: row.ended }));
    const back = oscillations(moves);
    for (const oscillation of back) this.#output.row('oscillations', oscillation);
    const found = {
      reached,
      samples: this.#samples,
      migrations: this.#migrations,
      violations: this.#violations,
      oscillations: back,
      steps,
      counters,
      problems: this.#problems,
      pauses: this.#pauses,
      outages: this.#outages,
      uptime,
      events: this.#events,
      nodeCpu: this.#cpu.percentiles(),
      nodeMemory: this.#memory.percentiles(),
      ...(this.#peak === undefined ? {} : { peak: this.#peak }),
    };
    const summary = summaryOf(this.#setting, found);
    this.#output.file('summary.json', `${JSON.stringify(summary, undefined, 2)}\n`);
    this.#output.file('report.html', html(this.#setting, found, this.#heat));
    this.#output.close();
    return summary;
  }
}

const NO_UPTIME: Uptime = { expectedMs: 0, downMs: 0 };
