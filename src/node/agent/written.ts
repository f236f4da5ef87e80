import { isSameJson } from '../../base/json-same.ts';
import type { Client, ResourceType } from '../../kube/client.ts';
import { ifFound } from '../../kube/kube-error.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import { noteWrite, type Run } from './run.ts';

/**
 * Writes the status of an object as it was read, where it is another than before. Undefined where there was nothing to
 * write, or nothing to write it to.
 */
export async function writeChange<T extends KubeObject & { readonly status?: unknown }>(
  run: Run,
  client: Client,
  type: ResourceType<T>,
  object: T,
  status: NonNullable<T['status']>,
): Promise<T | undefined> {
  if (isSameJson(object.status, status)) return undefined;
  return await ifFound(noteWrite(run, client.update(type, { ...object, status }, { subresource: 'status' })));
}
