import { jsonEqual } from '#platform/base/json-equal';
import type { Client, ResourceType } from '#platform/kube/client';
import { ignoreNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { noteWrite, type TrackedPod } from './tracked-pod.ts';

/**
 * Writes the status of an object as it was read, if it has changed. Returns undefined if there was nothing to write, or
 * the object is gone.
 */
export async function writeChange<T extends KubeObject & { readonly status?: unknown }>(
  run: TrackedPod,
  client: Client,
  type: ResourceType<T>,
  object: T,
  status: NonNullable<T['status']>,
): Promise<T | undefined> {
  if (jsonEqual(object.status, status)) return undefined;
  return await ignoreNotFound(noteWrite(run, client.update(type, { ...object, status }, { subresource: 'status' })));
}
