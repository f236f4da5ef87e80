import { ENDPOINT_SLICES, type EndpointSlice } from '#platform/kube/kinds/network';
import type { Index } from '#platform/runtime/cache';
import { type WatchSource, watchSource } from '#platform/runtime/controller';
import { keyIn } from '#platform/runtime/key';

export const SERVICE_NAME = 'kubernetes.io/service-name';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';

const keysOf = ({ metadata }: EndpointSlice, manager: string): string[] => {
  const { [SERVICE_NAME]: name = '', [MANAGED_BY]: managedBy } = metadata.labels ?? {};
  return name === '' || managedBy !== manager ? [] : [keyIn(metadata.namespace, name)];
};

const indexes = new Map<string, Index<EndpointSlice>>();

/** Returns the index of the slices that a controller manages, by their Service. */
export function byService(manager: string): Index<EndpointSlice> {
  const index = indexes.get(manager) ?? { values: (slice) => keysOf(slice, manager) };
  indexes.set(manager, index);
  return index;
}

/** Watches the slices that a controller manages, so that it corrects what others do to them. */
export function servicesOfSlices(manager: string): WatchSource {
  return watchSource(ENDPOINT_SLICES, (slice) => keysOf(slice, manager));
}
