import { TemporaryError } from '#platform/base/errors';
import type { Pod } from '#platform/kube/kinds/pod';
import { apiVersionOf } from '#platform/kube/kinds/resource-type';
import { DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS } from '#platform/kube/kinds/workloads';
import { isNotFound } from '#platform/kube/kube-error';
import type { KubeObject, KubeOwnerReference } from '#platform/kube/kube-object';
import type { Context } from '#platform/runtime/controller';
import type { DiscoveryCache } from '#platform/runtime/discovery-cache';
import { keyIn } from '#platform/runtime/key';

/** Kinds whose scale is in the cache. */
const KNOWN = [REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS, DEPLOYMENTS];

interface Scaled {
  readonly uid: string;
  readonly replicas: number;
}

/** Sums the desired replicas of the controllers of these pods. Pods without a controller do not count. */
export async function expectedReplicas(
  pods: readonly Pod[],
  catalog: DiscoveryCache,
  context: Context,
): Promise<number> {
  const seen = new Set<string>();
  const replicas = new Map<string, number>();
  for (const { metadata } of pods) {
    const ref = controllerOf(metadata.ownerReferences);
    if (ref === undefined || seen.has(ref.uid)) continue;
    seen.add(ref.uid);
    const found = await scaledBy(ref, metadata.namespace ?? '', catalog, context);
    if (found === undefined) throw new TemporaryError(`found no controllers for pod ${JSON.stringify(metadata.name)}`);
    replicas.set(found.uid, found.replicas);
  }
  return [...replicas.values()].reduce((sum, each) => sum + each, 0);
}

const controllerOf = (refs: readonly KubeOwnerReference[] | undefined) => refs?.find((ref) => ref.controller === true);

async function scaledBy(
  ref: KubeOwnerReference,
  namespace: string,
  catalog: DiscoveryCache,
  context: Context,
): Promise<Scaled | undefined> {
  const type = KNOWN.find((each) => each.kind === ref.kind && apiVersionOf(each) === ref.apiVersion);
  if (type === undefined) return await fetchScale(ref, namespace, catalog, context);
  const owner = context.cache<KubeObject>(type).get(keyIn(namespace, ref.name));
  if (owner?.metadata.uid !== ref.uid) return undefined;
  // The ReplicaSets of a Deployment change, so the scale of the Deployment itself counts.
  const above = type === REPLICA_SETS ? controllerOf(owner.metadata.ownerReferences) : undefined;
  if (above !== undefined) return await scaledBy(above, namespace, catalog, context);
  const { replicas = 1 } = owner['spec'] as { readonly replicas?: number };
  return { uid: ref.uid, replicas };
}

/** Reads the scale subresource, which any kind can have. */
async function fetchScale(
  ref: KubeOwnerReference,
  namespace: string,
  catalog: DiscoveryCache,
  { client }: Context,
): Promise<Scaled | undefined> {
  const type = catalog.ofKind(ref.apiVersion, ref.kind);
  if (type === undefined) return undefined;
  const root = type.group === '' ? '/api' : '/apis';
  try {
    const path = `${root}/${ref.apiVersion}/namespaces/${namespace}/${type.plural}/${ref.name}/scale`;
    const scale = JSON.parse(await client.raw(path)) as KubeObject & { readonly spec?: { readonly replicas?: number } };
    return scale.metadata.uid === ref.uid ? { uid: ref.uid, replicas: scale.spec?.replicas ?? 0 } : undefined;
  } catch (error) {
    if (isNotFound(error) || (error as { code?: number }).code === 404) return undefined;
    throw error;
  }
}
