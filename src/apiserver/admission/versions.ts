import type { KubeObject } from '../../kube/kube-object.ts';
import { apiVersionOf, type Resource } from '../resource.ts';

/** An object of one version as another version of its resource shows it. */
export async function converted(object: KubeObject, from: Resource, to: Resource): Promise<KubeObject> {
  if (from === to) return object;
  const stored = from.toStorage === undefined ? object : await from.toStorage(object);
  const [shown] = to.fromStorage === undefined ? [stored] : await to.fromStorage([stored]);
  return { ...(shown ?? stored), kind: to.kind, apiVersion: apiVersionOf(to) };
}
