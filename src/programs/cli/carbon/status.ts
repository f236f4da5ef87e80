import type { Command } from 'commander';
import type { HypersdkVm } from '#api/hypersdk/resources';
import { formatTable } from '../format-table.ts';
import type { CarbonCommandDeps } from './command.ts';
import { type CarbonFormat, formatOutput } from './output.ts';
import { vmsOf } from './vms.ts';

const HEADINGS = ['NAMESPACE', 'NAME', 'STATUS', 'CARBON AWARE', 'ZONE', 'INTENSITY', 'LIMIT', 'STARTS AT'];

/** Prints which VMs are carbon-aware, and what they wait for. */
export async function showCarbonStatus(parts: CarbonCommandDeps, command: Command): Promise<void> {
  const { output } = command.optsWithGlobals<{ readonly output: CarbonFormat }>();
  const rows = (await vmsOf(parts, command)).filter(isCarbonAware).map(rowOf);
  if (rows.length === 0 && output === 'table') {
    parts.io.err('No carbon-aware VMs found.\n');
    return;
  }
  parts.io.out(formatOutput(output, rows, () => formatTable(HEADINGS, rows.map(cellsOf))));
}

/** The template can make a VM carbon-aware too, which only the condition shows. */
const isCarbonAware = ({ spec, status }: HypersdkVm) =>
  spec.carbonAware?.enabled === true || status?.conditions?.some(({ type }) => type === 'CarbonAware') === true;

function rowOf({ metadata, spec, status }: HypersdkVm) {
  const condition = status?.conditions?.find(({ type }) => type === 'CarbonAware');
  const { carbon } = status ?? {};
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    phase: status?.phase ?? 'Pending',
    condition: condition?.status ?? '',
    reason: condition?.reason ?? '',
    message: condition?.message ?? '',
    zone: carbon?.zone ?? spec.carbonAware?.zone ?? '',
    intensity: status?.carbonIntensity ?? null,
    maxIntensity: spec.carbonAware?.maxIntensity ?? null,
    waitingSince: carbon?.waitingSince ?? null,
    startAt: carbon?.startAt ?? null,
    startedAt: carbon?.startedAt ?? null,
  };
}

const cellsOf = (row: ReturnType<typeof rowOf>) => [
  row.namespace,
  row.name,
  row.phase,
  row.reason === '' ? '-' : row.reason,
  row.zone === '' ? '-' : row.zone,
  row.intensity === null ? '-' : `${row.intensity}`,
  row.maxIntensity === null ? '-' : `${row.maxIntensity}`,
  row.startAt ?? '-',
];
