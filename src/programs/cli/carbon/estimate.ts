import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError, VimanaError } from '#platform/base/errors';
import { estimate, type StartChoice } from '#vm/carbon/estimate';
import { formatTime } from '#vm/carbon/format-time';
import { wattsOf } from '#vm/carbon/power-model';
import { gibOf } from '#vm/carbon/report';
import { slotsOf } from '#vm/carbon/slots-of';
import { durationOption, formatDurationFlag } from '../duration-option.ts';
import { formatTable } from '../format-table.ts';
import { memoryFlag } from '../objects/size-flags.ts';
import type { CarbonCommandDeps } from './command.ts';
import { gridZone } from './flags.ts';
import { type CarbonFormat, formatGrams, formatOutput, tenths } from './output.ts';
import { requestedProvider } from './requested-provider.ts';

interface EstimateFlags {
  readonly cpus: number;
  readonly memory: string;
  readonly load: number;
  readonly duration: number;
  readonly maxDelay: number;
  readonly zone?: string;
  readonly output: CarbonFormat;
}

/** Adds the flags that describe the run to estimate. */
export function withEstimateFlags(command: Command): Command {
  return command
    .addOption(new Option('--zone <zone>', 'grid zone (default: --carbon-zone)').argParser(gridZone))
    .addOption(new Option('--cpus <count>', 'virtual CPUs').argParser(count).default(2))
    .addOption(new Option('--memory <amount>', 'memory').argParser(memoryFlag).default('4Gi'))
    .addOption(new Option('--load <fraction>', 'CPU utilization, from 0 to 1').argParser(share).default(0.5))
    .addOption(durationOption('--duration <duration>', 'duration of the run', '1h'))
    .addOption(durationOption('--max-delay <duration>', 'maximum time that the start may wait', '4h'));
}

/** Prints what a run would emit now, and when it would emit least. */
export async function showEstimate(parts: CarbonCommandDeps, command: Command): Promise<void> {
  const flags = command.optsWithGlobals<EstimateFlags>();
  const { provider, settings } = requestedProvider(parts, command);
  const zone = flags.zone ?? settings.zone;
  if (zone === undefined)
    throw new UsageError('no grid zone is set', { hint: 'Set --zone, for example --zone DE, or --carbon-zone.' });
  if (flags.duration === 0) throw new UsageError('--duration 0s: It must be greater than 0.');
  const now = parts.clock.now();
  const watts = wattsOf({ cpus: flags.cpus, memoryGib: gibOf(flags.memory), load: flags.load }, settings.power);
  const slots = await slotsOf(provider, zone, parts.signal);
  const found = estimate({ watts, ms: flags.duration }, slots, now, flags.maxDelay);
  if (found === undefined) {
    throw new VimanaError('NO_DATA', `the provider has no carbon intensity for ${zone} at this time`);
  }
  const { best, savedGrams, kilowattHours } = found;
  const data = {
    zone,
    watts: tenths(watts),
    duration: formatDurationFlag(flags.duration),
    kilowattHours: Math.round(kilowattHours * 10_000) / 10_000,
    now: toOutput(found.now),
    best: toOutput(best),
    savedGrams: tenths(savedGrams),
  };
  const share = found.now.grams === 0 ? 0 : Math.round((100 * savedGrams) / found.now.grams);
  const row = (name: string, { startsAt, intensity, grams }: StartChoice) => [
    name,
    formatTime(startsAt),
    `${tenths(intensity)}`,
    formatGrams(grams),
  ];
  parts.io.out(
    formatOutput(flags.output, data, () => {
      const run = `${data.watts} W for ${data.duration} in ${zone}: ${data.kilowattHours} kWh\n`;
      const rows = [row('now', found.now), row('best', best)];
      const end =
        savedGrams > 0 ? `Waiting saves ${formatGrams(savedGrams)} (${share} %).\n` : 'Waiting saves nothing.\n';
      return `${run}${formatTable(['START', 'AT', 'gCO2/kWh', 'EMITS'], rows)}${end}`;
    }),
  );
}

const toOutput = ({ startsAt, intensity, grams }: StartChoice) => ({
  startsAt: formatTime(startsAt),
  intensity: tenths(intensity),
  grams: tenths(grams),
});

function count(text: string): number {
  const found = Number(text);
  if (/^\d{1,4}$/.test(text) && found >= 1) return found;
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

function share(text: string): number {
  const found = Number(text);
  if (/^(?:0|1|0?\.\d+|1\.0+)$/.test(text)) return found;
  throw new InvalidArgumentError('It must be a number from 0 to 1.');
}
