import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { apiVersionOf, type Resource } from '../resource.ts';

/** An object of a write as the version of its resource that somebody asked to see; that of a subresource has but one. */
export async function inVersion(
  { resource, kind }: AdmissionAttributes,
  object: KubeObject,
  shownAs: Resource,
): Promise<KubeObject> {
  return kind === undefined ? await convertVersion(object, resource, shownAs) : object;
}

/** What became of such an object, in the version of the write again. */
export async function fromVersion(
  { resource, kind }: AdmissionAttributes,
  shown: KubeObject,
  shownAs: Resource,
): Promise<KubeObject> {
  return kind === undefined ? await convertVersion(shown, shownAs, resource) : shown;
}

/** An object of one version as another version of its resource shows it. */
async function convertVersion(object: KubeObject, from: Resource, to: Resource): Promise<KubeObject> {
  if (from === to) return object;
  const stored = from.toStorage === undefined ? object : await from.toStorage(object);
  const [shown] = to.fromStorage === undefined ? [stored] : await to.fromStorage([stored]);
  return { ...(shown ?? stored), kind: to.kind, apiVersion: apiVersionOf(to) };
}
