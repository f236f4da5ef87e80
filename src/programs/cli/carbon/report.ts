import type { Command } from 'commander';
import { humanDuration } from '#platform/base/duration';
import { type Emissions, emissionsOf } from '#vm/carbon/report';
import { tableText } from '../table-text.ts';
import type { CarbonCommandParts } from './command.ts';
import { type CarbonFlags, carbonSettings } from './flags.ts';
import { machinesOf } from './machines.ts';
import { type CarbonFormat, tenths, textIn, writtenGrams } from './output.ts';

const HEADINGS = ['NAMESPACE', 'NAME', 'ZONE', 'POWER', 'INTENSITY', 'RUNNING', 'EMITTED', 'WAITED', 'SAVED'];

/** What machines have emitted in their present run, and what waiting has saved. */
export async function showReport(parts: CarbonCommandParts, command: Command): Promise<void> {
  const { output } = command.optsWithGlobals<{ readonly output: CarbonFormat }>();
  const { power } = carbonSettings(command.optsWithGlobals<CarbonFlags>());
  const now = parts.clock.now();
  const rows = (await machinesOf(parts, command)).map((machine) => ({
    namespace: machine.metadata.namespace,
    name: machine.metadata.name,
    ...emissionsOf(machine, power, now),
  }));
  if (rows.length === 0 && output === 'table') {
    parts.io.err('There is no machine of hypersdk.io here.\n');
    return;
  }
  const total = {
    grams: tenths(rows.reduce((sum, { grams = 0 }) => sum + grams, 0)),
    savedGrams: tenths(rows.reduce((sum, { savedGrams }) => sum + savedGrams, 0)),
  };
  parts.io.out(
    textIn(output, { machines: rows.map(told), total }, () => {
      const end = `Together ${writtenGrams(total.grams)} emitted, ${writtenGrams(total.savedGrams)} saved by waiting.\n`;
      return `${tableText(
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
  row.grams === undefined ? '-' : writtenGrams(row.grams),
  row.waitedMs === 0 ? '-' : humanDuration(row.waitedMs),
  row.savedGrams === 0 ? '-' : writtenGrams(row.savedGrams),
];

const told = ({ namespace, name, ...row }: Emissions & { namespace: string; name: string }) => ({
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
