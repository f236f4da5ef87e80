import type { KubeObject } from '#platform/kube/kube-object';
import type { Backend } from '../backend.ts';
import type { Resource } from '../resource.ts';
import type { Entry } from '../store/store.ts';

/** The object that a request is about. */
export interface Target {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  /** '' for the object itself. */
  readonly subresource: string;
}

/** A stored object in the version of the resource. Nobody may change it. */
export async function viewOf(backend: Backend, resource: Resource, entry: Entry): Promise<KubeObject> {
  const stored = backend.parsed.get(entry);
  if (resource.fromStorage === undefined) return stored;
  const [object] = await resource.fromStorage([stored]);
  return object ?? stored;
}
