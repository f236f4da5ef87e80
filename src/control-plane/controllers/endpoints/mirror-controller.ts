import { formatIp, tryParseIp } from '#platform/base/ip';
import { jsonEqual } from '#platform/base/json-equal';
import { SERVICES } from '#platform/kube/kinds/core';
import {
  ENDPOINT_SLICES,
  ENDPOINTS,
  type Endpoint,
  type EndpointAddress,
  type EndpointPort,
  type EndpointSlice,
  type Endpoints,
} from '#platform/kube/kinds/network';
import { type Controller, watchSource } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyOf } from '#platform/runtime/key';
import { controllerRef } from '#platform/runtime/ownership/claim-objects';
import { applySlicePlan } from './apply-slice-plan.ts';
import { TRIGGER_TIME } from './service-pods.ts';
import { groupByPorts, planSlices, type SlicePlan } from './slice-plan.ts';
import { byService, MANAGED_BY, SERVICE_NAME, servicesOfSlices } from './slices-by-service.ts';

const OWN_NAME = 'endpointslicemirroring-controller.k8s.io';
const SKIP = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Maximum number of addresses of a subset that are mirrored. */
const MAX_ADDRESSES = 1000;

/** Mirrors Endpoints that users maintain for Services without a selector to EndpointSlices. */
export function endpointSliceMirroring(): Controller<Endpoints> {
  const expectations = new Expectations();
  return {
    name: 'endpoint slice mirroring',
    for: ENDPOINTS,
    watches: [watchSource(SERVICES, (service) => [keyOf(service)]), servicesOfSlices(OWN_NAME)],
    async reconcile(endpoints, { cache, client, events }) {
      const key = keyOf(endpoints);
      if (!expectations.met(key, cache(ENDPOINT_SLICES))) return;
      const existing = [...cache(ENDPOINT_SLICES).by(byService(OWN_NAME), key)];
      const service = cache(SERVICES).get(key);
      const isMirrored = service !== undefined && service.spec?.selector === undefined && !isSkipped(endpoints);
      const skipped = isMirrored ? skippedAddresses(endpoints) : 0;
      if (skipped > 0) {
        const message = `A max of ${MAX_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
        events.event(endpoints, 'Warning', 'TooManyAddressesToMirror', message);
      }
      const plans = isMirrored ? mirrorPlans(endpoints, existing) : [{ create: [], update: [], delete: existing }];
      for (const plan of plans) {
        await applySlicePlan(plan, { service: endpoints, annotations: {}, client, expectations });
      }
    },
    forget: (key) => expectations.forget(key),
  };
}

function isSkipped({ metadata }: Endpoints): boolean {
  return metadata.labels?.[SKIP] === 'true' || metadata.annotations?.[LEADER] !== undefined;
}

function skippedAddresses({ subsets = [] }: Endpoints): number {
  const counts = subsets.map(
    ({ addresses = [], notReadyAddresses = [] }) => addresses.length + notReadyAddresses.length,
  );
  return counts.reduce((sum, count) => sum + Math.max(0, count - MAX_ADDRESSES), 0);
}

/** Plans the mirrored slices of both types of addresses. */
export function mirrorPlans(endpoints: Endpoints, existing: readonly EndpointSlice[]): SlicePlan[] {
  const { name = '', namespace = '', labels = {}, annotations = {} } = endpoints.metadata;
  const { [TRIGGER_TIME]: _time, [LAST_APPLIED]: _applied, ...copied } = annotations;
  const metadata = {
    generateName: `${name}-`,
    namespace,
    labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: OWN_NAME },
    ...(Object.keys(copied).length === 0 ? {} : { annotations: copied }),
    ownerReferences: [controllerRef(ENDPOINTS, endpoints)],
  };
  return (['IPv4', 'IPv6'] as const).map((addressType) => {
    const present = existing.filter((slice) => slice.addressType === addressType);
    const groups = groupByPorts(mirroredEndpoints(endpoints, addressType));
    if (groups.size === 0) return { create: [], update: [], delete: present };
    const plan = planSlices({ metadata, addressType }, groups, present);
    const stale = present.filter(
      (slice) =>
        !plan.update.some(({ metadata: { name: other } }) => other === slice.metadata.name) &&
        !plan.delete.includes(slice) &&
        !(
          jsonEqual(slice.metadata.annotations ?? {}, copied) &&
          jsonEqual(slice.metadata.ownerReferences, metadata.ownerReferences)
        ),
    );
    return { ...plan, update: [...plan.update, ...stale].map((slice) => withMetadata(slice, metadata)) };
  });
}

function withMetadata(slice: EndpointSlice, { labels, annotations = {}, ownerReferences }: EndpointSlice['metadata']) {
  return {
    ...slice,
    metadata: { ...slice.metadata, labels: labels ?? {}, annotations, ownerReferences: ownerReferences ?? [] },
  };
}

function* mirroredEndpoints(
  { subsets = [] }: Endpoints,
  addressType: 'IPv4' | 'IPv6',
): Generator<readonly [readonly EndpointPort[], Endpoint]> {
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const all = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ];
    const named = ports.map(({ name = '', ...port }) => ({ name, ...port }));
    for (const { address, ready } of all.slice(0, MAX_ADDRESSES)) {
      const ip = tryParseIp(address.ip);
      if (ip?.family === (addressType === 'IPv6' ? 6 : 4))
        yield [named, mirroredEndpoint(address, formatIp(ip), ready)];
    }
  }
}

function mirroredEndpoint({ hostname, nodeName, targetRef }: EndpointAddress, ip: string, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === undefined ? {} : { hostname }),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}
