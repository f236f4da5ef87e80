import type { Service } from '#platform/kube/kinds/core';
import type { EndpointAddress, EndpointPort, EndpointSubset } from '#platform/kube/kinds/network';
import type { Pod } from '#platform/kube/kinds/pod';
import { isReady } from '../replicas/pod-state.ts';
import { addressesOf, familiesOf, hasEndpoint, hostnameOf, podReference, portsOf } from './service-pods.ts';

/** Maximum number of addresses in an Endpoints. */
const MAX_ADDRESSES = 1000;

interface Address {
  readonly address: EndpointAddress;
  readonly ready: boolean;
}

/** Returns the subsets of the Endpoints of a Service: the ports that are reached at the same addresses together. */
export function subsetsOf(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const [family = 'IPv4'] = familiesOf(service);
  const isTolerant = service.spec?.publishNotReadyAddresses === true;
  const byPort = new Map<string, { readonly port: EndpointPort | undefined; readonly addresses: Address[] }>();
  for (const pod of pods) {
    if (!hasEndpoint(pod) || (pod.metadata.deletionTimestamp !== undefined && !isTolerant)) continue;
    const [ip] = addressesOf(pod, family);
    if (ip === undefined) continue;
    const found = { address: addressOf(ip, pod, service), ready: isTolerant || isReady(pod) };
    const isPortless = (service.spec?.ports ?? []).length === 0 && service.spec?.clusterIP === 'None';
    for (const port of isPortless ? [undefined] : portsOf(service, pod)) {
      const key = JSON.stringify(port ?? null);
      const known = byPort.get(key) ?? { port, addresses: [] };
      known.addresses.push(found);
      byPort.set(key, known);
    }
  }
  return truncateSubsets(packEndpoints([...byPort.values()]));
}

function addressOf(ip: string, pod: Pod, service: Service): EndpointAddress {
  const hostname = hostnameOf(pod, service);
  const { nodeName } = pod.spec;
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: podReference(pod),
  };
}

const byIp = (a: Address, b: Address): number =>
  a.address.ip === b.address.ip
    ? (a.address.targetRef?.uid ?? '') < (b.address.targetRef?.uid ?? '')
      ? -1
      : 1
    : a.address.ip < b.address.ip
      ? -1
      : 1;

/** Merges ports with the same addresses in the same state. */
function packEndpoints(
  ports: readonly { readonly port: EndpointPort | undefined; readonly addresses: readonly Address[] }[],
): EndpointSubset[] {
  const groups = new Map<string, { readonly addresses: readonly Address[]; readonly ports: EndpointPort[] }>();
  for (const { port, addresses } of ports) {
    const sorted = addresses.toSorted(byIp);
    const key = JSON.stringify(sorted);
    const group = groups.get(key) ?? { addresses: sorted, ports: [] };
    if (port !== undefined) group.ports.push(port);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ addresses, ports: own }) => {
    const of = (ready: boolean) => addresses.filter((each) => each.ready === ready).map(({ address }) => address);
    return {
      ...nonEmpty('addresses', of(true)),
      ...nonEmpty('notReadyAddresses', of(false)),
      ...nonEmpty('ports', own.map(withoutEmptyName)),
    };
  });
}

const nonEmpty = <T>(field: string, list: readonly T[]) => (list.length === 0 ? {} : { [field]: list });

/** An unnamed port has no name here, where slices have an empty one. */
function withoutEmptyName({ name, ...port }: EndpointPort): EndpointPort {
  return name === undefined || name === '' ? port : { name, ...port };
}

/** Cuts subsets to what an object may hold. Ready addresses go first. */
function truncateSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const cut = (field: 'addresses' | 'notReadyAddresses', room: number) => {
    const total = subsets.reduce((sum, subset) => sum + (subset[field]?.length ?? 0), 0);
    let left = Math.min(total, Math.max(0, room));
    const shares = subsets.map((subset) => {
      const share = Math.min(left, Math.ceil(((subset[field]?.length ?? 0) / (total || 1)) * Math.min(total, room)));
      left -= Math.max(0, share);
      return subset[field]?.slice(0, Math.max(0, share)) ?? [];
    });
    return { shares, used: shares.reduce((sum, share) => sum + share.length, 0) };
  };
  const ready = cut('addresses', MAX_ADDRESSES);
  const notReady = cut('notReadyAddresses', MAX_ADDRESSES - ready.used);
  return subsets.map(({ ports }, at) => ({
    ...nonEmpty('addresses', ready.shares[at] ?? []),
    ...nonEmpty('notReadyAddresses', notReady.shares[at] ?? []),
    ...(ports === undefined ? {} : { ports }),
  }));
}

/** Reports whether the pods of a Service are more than its Endpoints show. */
export function isOverCapacity(pods: readonly Pod[]): boolean {
  return pods.filter(hasEndpoint).length > MAX_ADDRESSES;
}
