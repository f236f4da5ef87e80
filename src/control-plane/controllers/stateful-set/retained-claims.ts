import type { ResourceType } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { apiVersionOf } from '#platform/kube/kinds/resource-type';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { STATEFUL_SETS, type StatefulSet } from '#platform/kube/kinds/workloads';
import type { KubeObject, KubeOwnerReference } from '#platform/kube/kube-object';

/**
 * Returns the owner references that make the garbage collector carry out the retention policy of a claim: the set owns
 * it if it is deleted with the set, and the pod of a surplus ordinal if it is deleted by scaling down.
 */
export function claimOwners(
  set: StatefulSet,
  pod: Pod | undefined,
  isSurplus: boolean,
  claim: PersistentVolumeClaim,
): KubeOwnerReference[] {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const owners = [
    ...(whenDeleted === 'Delete' && !(isSurplus && whenScaled === 'Delete') ? [refTo(STATEFUL_SETS, set)] : []),
    ...(whenScaled === 'Delete' && isSurplus && pod !== undefined ? [refTo(PODS, pod)] : []),
  ];
  const isOurs = ({ uid, kind }: KubeOwnerReference) =>
    uid === set.metadata.uid || uid === pod?.metadata.uid || (kind === 'Pod' && !isSurplus);
  return [...(claim.metadata.ownerReferences ?? []).filter((ref) => !isOurs(ref)), ...owners];
}

function refTo(type: ResourceType, { metadata }: KubeObject): KubeOwnerReference {
  return { apiVersion: apiVersionOf(type), kind: type.kind, name: metadata.name ?? '', uid: metadata.uid ?? '' };
}
