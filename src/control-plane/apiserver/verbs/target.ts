import type { KubeObject } from '#platform/kube/kube-object';
import type { Backend } from '../backend.ts';
import type { Resource } from '../resource.ts';
import type { Entry } from '../store/store.ts';

/** Identifies the object of a request. */
export interface Target {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  /** Subresource; '' for the object itself. */
  readonly subresource: string;
}

/** Returns a stored object in the version of the resource. It must not be modified. */
export async function viewOf(backend: Backend, resource: Resource, entry: Entry): Promise<KubeObject> {
  const stored = backend.parsed.get(entry);
  if (resource.fromStorage === undefined) return stored;
  const [object] = await resource.fromStorage([stored]);
  return object ?? stored;
}
