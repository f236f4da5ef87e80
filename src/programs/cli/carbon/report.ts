import type { Command } from 'commander';
import { humanDuration } from '#platform/base/duration';
import { type Emissions, emissionsOf } from '#vm/carbon/report';
import { formatTable } from '../format-table.ts';
import type { CarbonCommandDeps } from './command.ts';
import { type CarbonFlags, carbonSettings } from './flags.ts';
import { type CarbonFormat, formatGrams, formatOutput, tenths } from './output.ts';
import { vmsOf } from './vms.ts';

const HEADINGS = ['NAMESPACE', 'NAME', 'ZONE', 'POWER', 'INTENSITY', 'RUNNING', 'EMITTED', 'WAITED', 'SAVED'];

/** Prints what VMs have emitted in their current run, and what waiting has saved. */
export async function showReport(parts: CarbonCommandDeps, command: Command): Promise<void> {
  const { output } = command.optsWithGlobals<{ readonly output: CarbonFormat }>();
  const { power } = carbonSettings(command.optsWithGlobals<CarbonFlags>());
  const now = parts.clock.now();
  const rows = (await vmsOf(parts, command)).map((machine) => ({
    namespace: machine.metadata.namespace,
    name: machine.metadata.name,
    ...emissionsOf(machine, power, now),
  }));
  if (rows.length === 0 && output === 'table') {
    parts.io.err('No hypersdk.io VMs found.\n');
    return;
  }
  const total = {
    grams: tenths(rows.reduce((sum, { grams = 0 }) => sum + grams, 0)),
    savedGrams: tenths(rows.reduce((sum, { savedGrams }) => sum + savedGrams, 0)),
  };
  parts.io.out(
    formatOutput(output, { machines: rows.map(toOutput), total }, () => {
      const end = `Total: ${formatGrams(total.grams)} emitted, ${formatGrams(total.savedGrams)} saved by waiting.\n`;
      return `${formatTable(
        HEADINGS,
        rows.map((row) => [row.namespace, row.name, ...cellsOf(row)]),
      )}${end}`;
    }),
  );
}

const cellsOf = (row: Emissions) => [
  row.zone ?? '-',
  row.watts === 0 ? '-' : `${row.watts.toFixed(1)} W`,
  row.intensity === undefined ? '-' : `${row.intensity}`,
  row.runningMs === 0 ? '-' : humanDuration(row.runningMs),
  row.grams === undefined ? '-' : formatGrams(row.grams),
  row.waitedMs === 0 ? '-' : humanDuration(row.waitedMs),
  row.savedGrams === 0 ? '-' : formatGrams(row.savedGrams),
];

const toOutput = ({ namespace, name, ...row }: Emissions & { namespace: string; name: string }) => ({
  namespace,
  name,
  zone: row.zone ?? null,
  watts: tenths(row.watts),
  intensity: row.intensity ?? null,
  runningSeconds: Math.round(row.runningMs / 1000),
  grams: row.grams === undefined ? null : tenths(row.grams),
  waitedSeconds: Math.round(row.waitedMs / 1000),
  savedGrams: tenths(row.savedGrams),
});
