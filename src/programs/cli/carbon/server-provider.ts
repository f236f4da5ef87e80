import { GRID_ZONES, type GridZone, type GridZoneList } from '#api/grid-zone';
import { UsageError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import { CarbonError, type CarbonProvider } from '#vm/carbon/provider';
import type { Slot } from '#vm/carbon/slot';

/** Runs a function with a client of the cluster that the flags select. */
export type WithClient = <T>(run: (client: Client) => Promise<T>) => Promise<T>;

/** Returns the provider of the server, which needs no flags and no token here. */
export function serverProvider(withClient: WithClient): CarbonProvider {
  const slots = async (zone: string, signal: AbortSignal | undefined): Promise<readonly Slot[]> => {
    const found = await request<GridZone>(withClient, `${GRID_ZONES.path}/${encodeURIComponent(zone)}`, signal);
    return found.slots.map(({ from, to, intensity }) => ({ from: Date.parse(from), to: Date.parse(to), intensity }));
  };
  return {
    name: 'server',
    async current(zone, signal) {
      const [now] = await slots(zone, signal);
      if (now !== undefined) return now;
      throw new CarbonError('UNKNOWN_ZONE', `the server knows no carbon intensity of ${zone}`);
    },
    forecast: slots,
    async zones(signal) {
      const { items } = await request<GridZoneList>(withClient, GRID_ZONES.path, signal);
      return items.map(({ metadata, displayName }) => ({ zone: metadata.name, name: displayName }));
    },
  };
}

const HINT =
  'Set --carbon-provider here or at vimana up, for example to uk-carbon-intensity, or VIMANA_CARBON_PROVIDER.';

async function request<T>(withClient: WithClient, path: string, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await withClient(async (client) => {
      const response = await client.request({ method: 'GET', path }, signal === undefined ? {} : { signal });
      return response.body as T;
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof KubeError)) {
      const why = (error as Error).message;
      throw new UsageError(`no carbon intensity provider is set, and the server's own cannot be read: ${why}`, {
        hint: HINT,
        cause: error,
      });
    }
    if (error.code !== 404) throw error;
    // A zone that the provider does not know is named; an API that is not served is not.
    if (error.details.name !== undefined && error.details.name !== '') {
      throw new CarbonError('UNKNOWN_ZONE', error.message, { hint: 'List the zones with: vimana carbon zones' });
    }
    throw new UsageError('no carbon intensity provider is set, and the server has none', { hint: HINT });
  }
}
