import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { apiVersionOf, type Resource } from '../resource.ts';

/**
 * Converts an object of a write to the version that a webhook or policy requested. Objects of subresources have only
 * one.
 */
export async function inVersion(
  { resource, kind }: AdmissionAttributes,
  object: KubeObject,
  shownAs: Resource,
): Promise<KubeObject> {
  return kind === undefined ? await convertVersion(object, resource, shownAs) : object;
}

/** Converts such an object back to the version of the write. */
export async function fromVersion(
  { resource, kind }: AdmissionAttributes,
  shown: KubeObject,
  shownAs: Resource,
): Promise<KubeObject> {
  return kind === undefined ? await convertVersion(shown, shownAs, resource) : shown;
}

/** Converts an object from one version of its resource to another. */
async function convertVersion(object: KubeObject, from: Resource, to: Resource): Promise<KubeObject> {
  if (from === to) return object;
  const stored = from.toStorage === undefined ? object : await from.toStorage(object);
  const [shown] = to.fromStorage === undefined ? [stored] : await to.fromStorage([stored]);
  return { ...(shown ?? stored), kind: to.kind, apiVersion: apiVersionOf(to) };
}
