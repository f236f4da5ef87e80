import { isSameJson } from '../base/json-same.ts';
import type { Client, ResourceType } from '../kube/client.ts';
import type { KubeObject } from '../kube/kube-object.ts';

/**
 * Writes the status of an object as it was read, and only where it is another: somebody who changed it meanwhile wins,
 * and the run is tried again.
 */
export async function writeStatus<T extends KubeObject & { readonly status?: unknown }>(
  client: Client,
  type: ResourceType<T>,
  object: T,
  status: NonNullable<T['status']>,
): Promise<T> {
  if (isSameJson(object.status ?? {}, status)) return object;
  return await client.update(type, { ...object, status }, { subresource: 'status' });
}
