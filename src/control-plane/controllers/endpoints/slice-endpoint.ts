import type { Service } from '#platform/kube/kinds/core';
import type { Endpoint, EndpointPort } from '#platform/kube/kinds/network';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { isReady } from '../replicas/pod-state.ts';
import { addressesOf, hostnameOf, podReference } from './service-pods.ts';

const ZONE = 'topology.kubernetes.io/zone';
const CLOSE = new Set(['PreferClose', 'PreferSameZone', 'PreferSameNode']);

/** Builds the endpoint of a pod in a slice, undefined if the pod has no address of that family. */
export function sliceEndpoint(
  pod: Pod,
  node: Node | undefined,
  service: Service,
  family: 'IPv4' | 'IPv6',
): Endpoint | undefined {
  const addresses = addressesOf(pod, family);
  if (addresses.length === 0) return undefined;
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = hostnameOf(pod, service);
  const { nodeName = '' } = pod.spec;
  const zone = node?.metadata.labels?.[ZONE] ?? '';
  const place = { ...(nodeName === '' ? {} : { nodeName }), ...(zone === '' ? {} : { zone }) };
  const hints = ready ? hintsFor(service.spec?.trafficDistribution, place) : {};
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: podReference(pod),
    ...place,
    ...hints,
  };
}

/** Tells proxies which zone, and which node, should prefer an endpoint. */
function hintsFor(
  distribution: string | undefined,
  { nodeName, zone }: { readonly nodeName?: string; readonly zone?: string },
): Pick<Endpoint, 'hints'> {
  if (distribution === undefined || !CLOSE.has(distribution)) return {};
  const hints = {
    ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
    ...(nodeName === undefined || distribution !== 'PreferSameNode' ? {} : { forNodes: [{ name: nodeName }] }),
  };
  return Object.keys(hints).length === 0 ? {} : { hints };
}

/** Identifies an endpoint, whatever its state. */
export function endpointKey({ addresses, hostname = '', targetRef }: Endpoint): string {
  return JSON.stringify([addresses.toSorted(), hostname, targetRef?.namespace ?? '', targetRef?.name ?? '']);
}

/** Identifies a set of ports, whatever their order. */
export function portsKey(ports: readonly EndpointPort[] | null | undefined): string {
  const texts = (ports ?? []).map(({ name = '', protocol = 'TCP', port, appProtocol }) =>
    JSON.stringify([name, protocol, port, appProtocol]),
  );
  return texts.sort().join();
}
