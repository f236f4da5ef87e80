import type { Clock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import { electricityMaps } from './electricity-maps.ts';
import type { JsonFetch } from './fetch-json.ts';
import type { ZoneMap } from './grid-places.ts';
import { type IntensityTable, tableProvider } from './intensity-table.ts';
import { DEFAULT_POWER, type PowerModel } from './power-model.ts';
import { CarbonError, type CarbonProvider } from './provider.ts';
import { timeSeriesProvider } from './time-series.ts';
import { ukCarbonIntensity } from './uk-carbon-intensity.ts';

/** Names of the providers to choose from. */
export const PROVIDER_NAMES = [
  'none',
  'electricity-maps',
  'uk-carbon-intensity',
  'file',
  'config-map',
  'static',
] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Reports whether a provider is a web API with a URL of its own. */
export const isOnWeb = (provider: ProviderName) =>
  provider === 'electricity-maps' || provider === 'uk-carbon-intensity';

/** ConfigMap that the provider config-map reads, and the key of the time series in it. */
export const CARBON_CONFIG_MAP = { name: 'vimana-carbon', key: 'grid.yaml' } as const;

/** Settings for carbon awareness. */
export interface CarbonSettings {
  readonly provider: ProviderName;
  /** URL of a web provider. Defaults to its public one. */
  readonly url?: string;
  /** File that holds the token. */
  readonly tokenFile?: string;
  /** File that the provider file reads. */
  readonly data?: string;
  /** Table of the provider static. */
  readonly table?: IntensityTable;
  /** Grid zone to use if neither VM nor node names one. */
  readonly zone?: string;
  readonly zoneMap: ZoneMap;
  /** Time for which a response is valid. Defaults to 15 minutes for web providers and one minute for files. */
  readonly refreshMs?: number;
  readonly withoutData: 'start' | 'wait';
  readonly power: PowerModel;
}

/** Default settings: intensity is not observed, and carbon-aware VMs report that. */
export const NO_CARBON: CarbonSettings = {
  provider: 'none',
  zoneMap: new Map(),
  withoutData: 'start',
  power: DEFAULT_POWER,
};

export interface ProviderDeps {
  readonly fetch: JsonFetch;
  readonly clock: Clock;
  /** Token from the environment. A token file takes precedence. */
  readonly token: string | undefined;
  readonly readFile: (path: string) => Promise<string>;
  /** Reads the token at startup. A later one takes effect with the next start. */
  readonly readToken: (path: string) => string;
  /** Reads the text of the ConfigMap. */
  readonly readConfigMap: () => Promise<string>;
}

const MINUTE = 60_000;

/**
 * Returns the configured provider, or undefined if there is none. Throws a ConfigError that names the flag if something
 * is missing.
 */
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
          throw new CarbonError('UNREADABLE', `cannot read the time series: ${(error as Error).message}`, {
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
    throw new ConfigError('Electricity Maps requires a token, and none is set', {
      hint: 'Set VIMANA_CARBON_TOKEN, or pass a file with --carbon-token-file.',
    });
  }
  // Other characters are invalid in a header, and the error of the runtime would show the token.
  if (!/^[\x21-\x7e]+$/.test(found)) {
    throw new ConfigError('the token for Electricity Maps contains invalid characters', {
      hint: 'Check it for spaces and line breaks.',
    });
  }
  return found;
}
