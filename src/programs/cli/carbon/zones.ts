import type { Command } from 'commander';
import { formatTime } from '#vm/carbon/format-time';
import { slotsOf } from '#vm/carbon/slots-of';
import { formatTable } from '../format-table.ts';
import type { CarbonCommandDeps } from './command.ts';
import { type CarbonFormat, formatOutput } from './output.ts';
import { requestedProvider } from './requested-provider.ts';

/** Prints the zones of a provider. For a single zone, prints the current value and the forecast. */
export async function showZones(parts: CarbonCommandDeps, command: Command): Promise<void> {
  const { output, zone } = command.optsWithGlobals<{ readonly output: CarbonFormat; readonly zone?: string }>();
  const { provider } = requestedProvider(parts, command);
  if (zone !== undefined) {
    const slots = await slotsOf(provider, zone, parts.signal);
    const rows = slots.map(({ from, to, intensity }) => ({
      zone,
      from: formatTime(from),
      to: formatTime(to),
      intensity,
    }));
    const cells = rows.map((row) => [row.from, row.to, `${row.intensity}`]);
    parts.io.out(formatOutput(output, rows, () => formatTable(['FROM', 'TO', 'gCO2/kWh'], cells)));
    return;
  }
  const zones = await provider.zones(parts.signal);
  const cells = zones.map((each) => [each.zone, each.name]);
  parts.io.out(formatOutput(output, zones, () => formatTable(['ZONE', 'NAME'], cells)));
}
