import { jsonEqual } from '#platform/base/json-equal';
import type { NewObject } from '#platform/kube/client';
import type { Endpoint, EndpointPort, EndpointSlice } from '#platform/kube/kinds/network';
import type { KubeMeta } from '#platform/kube/kube-object';
import { endpointKey, portsKey } from './slice-endpoint.ts';

/** Maximum number of endpoints in a slice, as kube-controller-manager has by default. */
export const MAX_ENDPOINTS = 100;

/** Endpoints with the same ports, by their keys. */
export interface PortGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

export interface SlicePlan {
  readonly create: readonly NewObject<EndpointSlice>[];
  readonly update: readonly EndpointSlice[];
  readonly delete: readonly EndpointSlice[];
}

/** Properties that all slices of a Service share: the metadata of a new one, and the type of its addresses. */
export interface SliceShape {
  readonly metadata: KubeMeta;
  readonly addressType: string;
}

/** Groups endpoints by their ports. */
export function groupByPorts(entries: Iterable<readonly [readonly EndpointPort[], Endpoint]>): Map<string, PortGroup> {
  const groups = new Map<string, PortGroup>();
  for (const [ports, endpoint] of entries) {
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() };
    groups.set(key, group.endpoints.set(endpointKey(endpoint), endpoint) && group);
  }
  return groups;
}

/**
 * Plans the slices of one type of address, with as few writes as possible: endpoints stay in their slices, slices that
 * change anyway are filled first, and a surplus slice is rewritten before another is created.
 */
export function planSlices(
  shape: SliceShape,
  groups: ReadonlyMap<string, PortGroup>,
  existing: readonly EndpointSlice[],
): SlicePlan {
  const plans = [...groups].map(([key, group]) =>
    planGroup(
      shape,
      group,
      existing.filter(({ ports }) => portsKey(ports) === key),
    ),
  );
  const create = plans.flatMap((plan) => plan.create);
  const update = plans.flatMap((plan) => plan.update);
  const unused = existing.filter(({ ports }) => !groups.has(portsKey(ports)));
  const surplus = [...plans.flatMap((plan) => plan.delete), ...unused];
  if (surplus.length === existing.length && create.length === 0) {
    const [kept] = surplus;
    if (surplus.length === 1 && kept !== undefined && isPlaceholder(kept, shape)) return NOTHING;
    create.push(sliceOf(shape, [], []));
  }
  const reused = surplus.slice(0, create.length);
  const rewritten = reused.map((slice, at) => rewrittenAs(slice, create[create.length - 1 - at] as EndpointSlice));
  return {
    create: create.slice(0, create.length - reused.length),
    update: [...update, ...rewritten],
    delete: surplus.slice(reused.length),
  };
}

const NOTHING: SlicePlan = { create: [], update: [], delete: [] };

/** A Service without pods has one slice without endpoints and ports, which shows that there are none. */
function isPlaceholder({ endpoints, ports, metadata }: EndpointSlice, shape: SliceShape): boolean {
  const isEmpty = (endpoints ?? []).length === 0 && (ports ?? []).length === 0;
  return isEmpty && jsonEqual(metadata.labels ?? {}, shape.metadata.labels ?? {});
}

const sliceOf = (
  { metadata, addressType }: SliceShape,
  ports: readonly EndpointPort[],
  endpoints: readonly Endpoint[],
): NewObject<EndpointSlice> => ({ metadata, addressType, endpoints, ports });

function rewrittenAs(slice: EndpointSlice, { endpoints, ports, metadata }: EndpointSlice): EndpointSlice {
  return { ...slice, metadata: { ...slice.metadata, labels: metadata.labels ?? {} }, endpoints, ports: ports ?? [] };
}

interface Filling {
  readonly slice: EndpointSlice;
  readonly endpoints: Endpoint[];
  isChanged: boolean;
}

function planGroup(shape: SliceShape, { ports, endpoints }: PortGroup, existing: readonly EndpointSlice[]) {
  const left = new Map(endpoints);
  const kept = existing.map((slice) => keepEndpoints(slice, left, shape.metadata.labels ?? {}));
  const surplus = kept.filter(({ slice, endpoints: stay }) => stay.length === 0 && (slice.endpoints ?? []).length > 0);
  const changed = kept.filter((each) => each.isChanged && !surplus.includes(each));
  const rest = [...left.values()];
  for (const each of changed.toSorted((a, b) => b.endpoints.length - a.endpoints.length)) fill(each, rest);
  const create: NewObject<EndpointSlice>[] = [];
  while (rest.length > 0) {
    const fitting = tightest(
      kept.filter((each) => !each.isChanged),
      rest.length,
    );
    if (fitting === undefined) create.push(sliceOf(shape, ports, rest.splice(0, MAX_ENDPOINTS)));
    else fill(fitting, rest);
  }
  const labels = shape.metadata.labels ?? {};
  const update = kept
    .filter((each) => each.isChanged && !surplus.includes(each))
    .map(({ slice, endpoints: stay }) => ({
      ...slice,
      metadata: { ...slice.metadata, labels },
      endpoints: stay,
    }));
  return { create, update, delete: surplus.map(({ slice }) => slice) };
}

/** Keeps the endpoints of a slice that are still desired, in their new state, and takes them from those left. */
function keepEndpoints(slice: EndpointSlice, left: Map<string, Endpoint>, labels: object): Filling {
  const before = slice.endpoints ?? [];
  const endpoints = before.flatMap((endpoint) => {
    const key = endpointKey(endpoint);
    const found = left.get(key);
    left.delete(key);
    return found === undefined ? [] : [found];
  });
  const isSame = jsonEqual(endpoints, before) && jsonEqual(slice.metadata.labels ?? {}, labels);
  return { slice, endpoints, isChanged: !isSame };
}

function fill(filling: Filling, rest: Endpoint[]): void {
  const added = rest.splice(0, Math.max(0, MAX_ENDPOINTS - filling.endpoints.length));
  filling.endpoints.push(...added);
  if (added.length > 0) filling.isChanged = true;
}

/** Returns the slice that some more endpoints fill best. */
function tightest(slices: readonly Filling[], count: number): Filling | undefined {
  const room = ({ endpoints }: Filling) => MAX_ENDPOINTS - endpoints.length - count;
  return slices.filter((each) => room(each) >= 0).toSorted((a, b) => room(a) - room(b))[0];
}
