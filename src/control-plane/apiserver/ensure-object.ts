import type { KubeObject } from '#platform/kube/kube-object';
import { type Backend, storeOf } from './backend.ts';
import type { RequestContext } from './request-context.ts';
import { keyOf } from './resource.ts';
import { createObject } from './verbs/create.ts';
import { guaranteedUpdate } from './verbs/guaranteed-update.ts';

/** Creates an object, or updates one of an earlier start, when address and port may have been different. */
export async function ensureObject(
  backend: Backend,
  call: RequestContext,
  group: string,
  plural: string,
  desired: KubeObject,
): Promise<void> {
  const resource = backend.registry.find(group, 'v1', plural);
  if (resource === undefined) return;
  const { metadata, ...content } = desired;
  const { namespace = '', name = '' } = metadata;
  if (storeOf(backend, resource).latest(keyOf(resource, namespace, name)) === undefined) {
    await createObject(backend, resource, namespace, structuredClone(desired), call);
    return;
  }
  const target = { resource, namespace, name, subresource: '' };
  await guaranteedUpdate(backend, target, (current) => mergeContent(current, structuredClone(content)), call);
}

function mergeContent(current: KubeObject, content: object): KubeObject {
  const changed = structuredClone(current);
  for (const [field, value] of Object.entries(content)) {
    const before = changed[field];
    changed[field] = field === 'spec' ? { ...(before as object), ...(value as object) } : value;
  }
  return changed;
}
