import { GRID_ZONES, type GridZone, type GridZoneList } from '#api/grid-zone';
import type { ApiExtension } from '#platform/kube/api-extension';
import { KubeError } from '#platform/kube/kube-error';
import { formatTime } from '#vm/carbon/format-time';
import { CarbonError, type CarbonProvider } from '#vm/carbon/provider';
import { slotsOf } from '#vm/carbon/slots-of';

const { group, version, plural, kind, apiVersion } = GRID_ZONES;

/** Serves what the provider of the server knows, so that commands need neither its name nor its token. */
export function gridZonesApi(provider: CarbonProvider): ApiExtension {
  return {
    group,
    version,
    resources: [{ name: plural, namespaced: false, kind, verbs: ['get', 'list'] }],
    async handle({ name }) {
      try {
        return { status: 200, body: name === '' ? await listOf(provider) : await zoneOf(provider, name) };
      } catch (error) {
        throw error instanceof CarbonError ? responseTo(error, name) : error;
      }
    },
  };
}

async function listOf(provider: CarbonProvider): Promise<GridZoneList> {
  const zones = await provider.zones();
  const items = zones.map(({ zone, name }) => ({ metadata: { name: zone }, displayName: name }));
  return { apiVersion, kind: `${kind}List`, provider: provider.name, metadata: {}, items };
}

async function zoneOf(provider: CarbonProvider, zone: string): Promise<GridZone> {
  const slots = await slotsOf(provider, zone);
  const times = slots.map(({ from, to, intensity }) => ({ from: formatTime(from), to: formatTime(to), intensity }));
  return { apiVersion, kind, provider: provider.name, metadata: { name: zone }, slots: times };
}

/** An unknown zone is missing; with any other failure, the next request may succeed. */
function responseTo({ code, message }: CarbonError, name: string): KubeError {
  const details = { name, group, kind: plural };
  return code === 'UNKNOWN_ZONE'
    ? new KubeError(404, 'NotFound', message, details)
    : new KubeError(503, 'ServiceUnavailable', message, details);
}
