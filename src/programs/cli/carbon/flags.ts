import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ZoneMap } from '#vm/carbon/grid-places';
import type { IntensityTable } from '#vm/carbon/intensity-table';
import { DEFAULT_POWER, type PowerModel } from '#vm/carbon/power-model';
import { type CarbonSettings, isOnWeb, PROVIDER_NAMES, type ProviderName } from '#vm/carbon/settings';
import { durationMs } from '../duration-option.ts';
import { nonEmpty } from '../non-empty.ts';
import { webAddress } from '../rebalance/fetch-text.ts';

/** Parsed flags of carbon-aware VMs. */
export interface CarbonFlags {
  readonly carbonProvider: ProviderName;
  readonly carbonUrl?: string;
  readonly carbonTokenFile?: string;
  readonly carbonData?: string;
  readonly carbonTable?: IntensityTable;
  readonly carbonZone?: string;
  readonly carbonZoneMap: ZoneMap;
  readonly carbonRefresh?: number;
  readonly carbonWithoutData: 'start' | 'wait';
  readonly carbonPower: PowerModel;
}

/**
 * Adds the flags of every command that reads carbon intensity. Each can also be set by the environment; the token only
 * by the environment or a file.
 */
export function withCarbonFlags<C extends Command>(command: C): C {
  return command
    .addOption(
      option('--carbon-provider <name>', 'source of carbon intensity data')
        .choices([...PROVIDER_NAMES])
        .default('none'),
    )
    .addOption(
      option('--carbon-url <address>', 'address of the provider, if not its default').argParser(
        webAddress('https://api.example.org'),
      ),
    )
    .addOption(
      option(
        '--carbon-token-file <file>',
        'file with the token for the provider (default: VIMANA_CARBON_TOKEN)',
      ).argParser(nonEmpty),
    )
    .addOption(option('--carbon-data <file>', 'time series in YAML, for --carbon-provider file').argParser(nonEmpty))
    .addOption(
      option('--carbon-table <zones>', 'intensities for --carbon-provider static, such as DE=380,FR=56').argParser(
        table,
      ),
    )
    .addOption(
      option('--carbon-zone <zone>', 'grid zone to use if neither the VM nor its node has one').argParser(gridZone),
    )
    .addOption(
      option(
        '--carbon-zone-map <zones>',
        'map from zones and regions of nodes to grid zones, such as eu-north-1=SE-SE3',
      )
        .argParser(zoneMap)
        .default(new Map(), 'none'),
    )
    .addOption(
      option(
        '--carbon-refresh <duration>',
        'how long to cache carbon intensity (default: 15m, and 1m for a file)',
      ).argParser(refresh),
    )
    .addOption(
      option('--carbon-without-data <action>', 'whether carbon-aware VMs start or wait while there is no data')
        .choices(['start', 'wait'])
        .default('start'),
    )
    .addOption(
      option('--carbon-power <watts>', 'watts of an idle and of a busy vCPU and of a GiB of memory, and the PUE')
        .argParser(power)
        .default(DEFAULT_POWER, 'idle=0.74,busy=3.5,memory=0.392,pue=1.2'),
    );
}

function option(flags: string, description: string): Option {
  const made = new Option(flags, description);
  return made.env(`VIMANA_${(made.long ?? '').slice(2).replaceAll('-', '_').toUpperCase()}`);
}

export function carbonSettings(flags: CarbonFlags): CarbonSettings {
  return {
    provider: flags.carbonProvider,
    ...(flags.carbonUrl === undefined ? {} : { url: flags.carbonUrl }),
    ...(flags.carbonTokenFile === undefined ? {} : { tokenFile: flags.carbonTokenFile }),
    ...(flags.carbonData === undefined ? {} : { data: flags.carbonData }),
    ...(flags.carbonTable === undefined ? {} : { table: flags.carbonTable }),
    ...(flags.carbonZone === undefined ? {} : { zone: flags.carbonZone }),
    ...(flags.carbonRefresh === undefined ? {} : { refreshMs: flags.carbonRefresh }),
    zoneMap: flags.carbonZoneMap,
    withoutData: flags.carbonWithoutData,
    power: flags.carbonPower,
  };
}

/** Rejects flags that the chosen provider does not use, and reports those that it requires. */
export function carbonContradictions(flags: CarbonFlags): string[] {
  const { carbonProvider: provider } = flags;
  const useless = (flag: string, value: unknown, fits: boolean) =>
    value === undefined || fits ? [] : [`${flag} cannot be used with --carbon-provider ${provider}.`];
  const missing = (flag: string, value: unknown, needed: boolean) =>
    needed && value === undefined ? [`--carbon-provider ${provider} needs ${flag}.`] : [];
  return [
    ...useless('--carbon-url', flags.carbonUrl, isOnWeb(provider)),
    ...useless('--carbon-token-file', flags.carbonTokenFile, provider === 'electricity-maps'),
    ...useless('--carbon-data', flags.carbonData, provider === 'file'),
    ...useless('--carbon-table', flags.carbonTable, provider === 'static'),
    ...missing('--carbon-data', flags.carbonData, provider === 'file'),
    ...missing('--carbon-table', flags.carbonTable, provider === 'static'),
  ];
}

const ZONE = /^[A-Z]{2}(?:-[A-Z0-9]+)*$/;

export function gridZone(text: string): string {
  if (ZONE.test(text)) return text;
  throw new InvalidArgumentError('It must be a grid zone such as DE or US-CAL-CISO.');
}

function pairs(text: string, example: string): [string, string][] {
  return text.split(',').map((pair) => {
    const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=\s*([^=\s]+)\s*$/.exec(pair) ?? [];
    if (name === '') throw new InvalidArgumentError(`It must be pairs such as ${example}.`);
    return [name, value];
  });
}

function table(text: string): IntensityTable {
  return new Map(
    pairs(text, 'DE=380,FR=56').map(([zone, grams]) => {
      if (!/^\d+(?:\.\d+)?$/.test(grams)) throw new InvalidArgumentError(`${grams} is not a number of grams.`);
      return [gridZone(zone), Number(grams)];
    }),
  );
}

function zoneMap(text: string): ZoneMap {
  return new Map(pairs(text, 'eu-north-1=SE-SE3').map(([place, zone]) => [place, gridZone(zone)]));
}

const MIN_REFRESH_MS = 60_000;

function refresh(text: string): number {
  const ms = durationMs(text);
  if (ms >= MIN_REFRESH_MS) return ms;
  throw new InvalidArgumentError('It must be at least 1m: providers limit requests.');
}

const POWER: Readonly<Record<string, keyof PowerModel>> = {
  idle: 'idleWattsPerCpu',
  busy: 'busyWattsPerCpu',
  memory: 'wattsPerGib',
  pue: 'pue',
};

function power(text: string): PowerModel {
  const given = pairs(text, 'idle=0.74,busy=3.5,memory=0.392,pue=1.2').map(([name, value]) => {
    const field = Object.hasOwn(POWER, name) ? POWER[name] : undefined;
    if (field === undefined) throw new InvalidArgumentError(`${name} is not one of ${Object.keys(POWER).join(', ')}.`);
    if (!/^\d+(?:\.\d+)?$/.test(value)) throw new InvalidArgumentError(`${value} is not a number.`);
    return [field, Number(value)] as const;
  });
  const model: PowerModel = { ...DEFAULT_POWER, ...Object.fromEntries(given) };
  if (model.busyWattsPerCpu < model.idleWattsPerCpu) {
    throw new InvalidArgumentError('busy must not be less than idle.');
  }
  if (model.pue < 1) throw new InvalidArgumentError('The PUE must be at least 1.');
  return model;
}
