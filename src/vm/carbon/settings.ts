import type { Clock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import { electricityMaps } from './electricity-maps.ts';
import type { Fetch } from './fetch-json.ts';
import type { ZoneMap } from './grid-places.ts';
import { type IntensityTable, tableProvider } from './intensity-table.ts';
import { DEFAULT_POWER, type PowerModel } from './power-model.ts';
import { CarbonError, type CarbonProvider } from './provider.ts';
import { timeSeriesProvider } from './time-series.ts';
import { ukCarbonIntensity } from './uk-carbon-intensity.ts';

/** The names by which providers are chosen. */
export const PROVIDER_NAMES = [
  'none',
  'electricity-maps',
  'uk-carbon-intensity',
  'file',
  'config-map',
  'static',
] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Whether a provider is asked over the web, at an address of its own. */
export const isOnWeb = (provider: ProviderName) =>
  provider === 'electricity-maps' || provider === 'uk-carbon-intensity';

/** The ConfigMap that the provider config-map reads, and where in it the time series stands. */
export const CARBON_CONFIG_MAP = { name: 'vimana-carbon', key: 'grid.yaml' } as const;

/** How electricity is heeded. */
export interface CarbonSettings {
  readonly provider: ProviderName;
  /** Where a provider on the web answers, where not at its usual place. */
  readonly url?: string;
  /** The file that holds the token. */
  readonly tokenFile?: string;
  /** The file of the provider file. */
  readonly data?: string;
  /** Of the provider static. */
  readonly table?: IntensityTable;
  /** The grid zone that counts where neither machine nor node names one. */
  readonly zone?: string;
  readonly zoneMap: ZoneMap;
  /** How long an answer is good for; 15 minutes for what comes from the web and one for what is written down, where absent. */
  readonly refreshMs?: number;
  readonly withoutData: 'start' | 'wait';
  readonly power: PowerModel;
}

/** Where nothing is said: electricity is not looked at, and machines that heed it say so. */
export const NO_CARBON: CarbonSettings = {
  provider: 'none',
  zoneMap: new Map(),
  withoutData: 'start',
  power: DEFAULT_POWER,
};

export interface ProviderDeps {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** From the environment; a file that is named counts before it. */
  readonly token: string | undefined;
  readonly readFile: (path: string) => Promise<string>;
  /** As it is at the start; a later one counts with the next start. */
  readonly readToken: (path: string) => string;
  /** The text of the ConfigMap. */
  readonly readConfigMap: () => Promise<string>;
}

const MINUTE = 60_000;

/** Who is asked; undefined where nobody is. Throws a ConfigError that names the flag where something is missing. */
export function providerOf(settings: CarbonSettings, parts: ProviderDeps): CarbonProvider | undefined {
  const { fetch, clock } = parts;
  const web = { fetch, clock, ...(settings.url === undefined ? {} : { url: settings.url }) };
  switch (settings.provider) {
    case 'none':
      return undefined;
    case 'electricity-maps':
      return electricityMaps({ ...web, token: tokenOf(settings, parts) });
    case 'uk-carbon-intensity':
      return ukCarbonIntensity(web);
    case 'file': {
      const { data = '' } = settings;
      const read = () =>
        parts.readFile(data).catch((error: unknown) => {
          throw new CarbonError('UNREADABLE', `the time series cannot be read: ${(error as Error).message}`, {
            cause: error,
          });
        });
      return timeSeriesProvider({ from: `the file ${data}`, read, clock });
    }
    case 'config-map':
      return timeSeriesProvider({ from: `ConfigMap ${CARBON_CONFIG_MAP.name}`, read: parts.readConfigMap, clock });
    case 'static':
      return tableProvider(settings.table ?? new Map(), clock);
  }
}

export function refreshOf({ provider, refreshMs }: CarbonSettings): number {
  return refreshMs ?? (isOnWeb(provider) ? 15 : 1) * MINUTE;
}

function tokenOf({ tokenFile }: CarbonSettings, { token, readToken }: ProviderDeps): string {
  const found = (tokenFile === undefined ? token : readToken(tokenFile))?.trim();
  if (found === undefined || found === '') {
    throw new ConfigError('Electricity Maps is asked with a token, and there is none', {
      hint: 'Set VIMANA_CARBON_TOKEN, or name a file with --carbon-token-file.',
    });
  }
  // Anything else cannot stand in a header, and an error of the runtime would show it.
  if (!/^[\x21-\x7e]+$/.test(found)) {
    throw new ConfigError('the token for Electricity Maps has characters that no token has', {
      hint: 'Look for spaces or line breaks within it.',
    });
  }
  return found;
}
