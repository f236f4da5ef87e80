import type { Client } from '#platform/kube/client';
import { ignoreNotFound, isNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { type DiscoveredResource, type DiscoveryResult, preferredVersions } from '#platform/runtime/discovery';
import type { DeletionResult } from './conditions.ts';

/** Deletes the content of a namespace. Pods are deleted first, because the objects they use should outlive them. */
export async function deleteAllContent(
  client: Client,
  discovered: DiscoveryResult,
  namespace: string,
): Promise<DeletionResult> {
  const resources = preferredVersions(discovered.resources).filter(
    ({ namespaced, verbs }) => namespaced && verbs.includes('delete') && verbs.includes('list'),
  );
  const pods = resources.filter(isPods);
  const found = {
    undiscovered: [...discovered.failed.keys()],
    failures: [] as string[],
    left: new Map<string, number>(),
    heldBy: new Map<string, number>(),
  };
  for (const step of [pods, resources.filter((resource) => !isPods(resource))]) {
    for (const resource of step) {
      try {
        count(found, resource, await deleteObjects(client, resource, namespace));
      } catch (error) {
        // A resource whose CRD was just deleted has no objects left.
        if (!isNotFound(error)) found.failures.push((error as Error).message);
      }
    }
    if (found.left.size > 0 || found.failures.length > 0) return found;
  }
  return found;
}

const isPods = ({ group, plural }: DiscoveredResource) => group === '' && plural === 'pods';

/** Deletes the objects of a resource and returns those that still exist. */
async function deleteObjects(
  client: Client,
  resource: DiscoveredResource,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const { items } = await client.list(resource, { namespace });
  const living = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (living.length === 0) return items;
  if (resource.verbs.includes('deletecollection')) {
    await client.deleteCollection(resource, { namespace, propagationPolicy: 'Background' });
  } else {
    for (const { metadata } of living) {
      await ignoreNotFound(
        client.delete(resource, metadata.name ?? '', { namespace, propagationPolicy: 'Background' }),
      );
    }
  }
  return (await client.list(resource, { namespace })).items;
}

function count(
  { left, heldBy }: { readonly left: Map<string, number>; readonly heldBy: Map<string, number> },
  { plural, group }: DiscoveredResource,
  objects: readonly KubeObject[],
): void {
  if (objects.length === 0) return;
  left.set(`${plural}.${group}`, objects.length);
  for (const { metadata } of objects) {
    for (const finalizer of metadata.finalizers ?? []) heldBy.set(finalizer, (heldBy.get(finalizer) ?? 0) + 1);
  }
}
