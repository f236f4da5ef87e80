import { jsonEqual } from '#platform/base/json-equal';
import type { Client, ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';

/**
 * Writes the status of an object as it was read, and only if it differs. A concurrent change wins, and the run is
 * retried.
 */
export async function writeStatus<T extends KubeObject & { readonly status?: unknown }>(
  client: Client,
  type: ResourceType<T>,
  object: T,
  status: NonNullable<T['status']>,
): Promise<T> {
  if (jsonEqual(object.status ?? {}, status)) return object;
  return await client.update(type, { ...object, status }, { subresource: 'status' });
}
