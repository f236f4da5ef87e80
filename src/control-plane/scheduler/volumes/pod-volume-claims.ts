import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { BIND_COMPLETED, storageClassNameOf } from '#platform/kube/kinds/volume-binding';
import type { StorageView } from '../framework/cluster-view.ts';
import type { ClaimUse } from '../pod/claim-use.ts';
import type { PodInfo } from '../pod/pod-info.ts';

/** Claims of a pod: those that are bound, and those that are bound together with choosing a node. */
export interface PodVolumeClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  readonly delayed: readonly PersistentVolumeClaim[];
}

const UNBOUND = 'pod has unbound immediate PersistentVolumeClaims';

/** Returns the claims of a pod, or the reason why they make it unschedulable. */
export function podVolumeClaimsOf(pod: PodInfo, storage: StorageView): PodVolumeClaims | string {
  const bound: PersistentVolumeClaim[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  let waits = false;
  for (const use of pod.claims) {
    const claim = storage.claim(use.key);
    const problem = problemOf(use, claim, pod);
    if (claim === undefined || problem !== undefined) return problem ?? '';
    if (isBound(claim)) bound.push(claim);
    else if (isDelayed(claim, storage)) delayed.push(claim);
    else waits = true;
  }
  return waits ? UNBOUND : { bound, delayed };
}

function problemOf(use: ClaimUse, claim: PersistentVolumeClaim | undefined, pod: PodInfo): string | undefined {
  const name = `persistentvolumeclaim "${use.name}"`;
  if (claim === undefined) {
    return use.ephemeral ? `waiting for ephemeral volume controller to create the ${name}` : `${name} not found`;
  }
  if (claim.status?.phase === 'Lost') {
    return `${name} bound to non-existent persistentvolume "${claim.spec.volumeName ?? ''}"`;
  }
  if (claim.metadata.deletionTimestamp !== undefined) return `${name} is being deleted`;
  const isOwn = claim.metadata.ownerReferences?.some(({ uid }) => uid === pod.uid) === true;
  if (use.ephemeral && !isOwn) {
    return `PVC ${use.key} was not created for pod ${pod.key} (pod is not owner)`;
  }
  return undefined;
}

export function isBound({ spec, metadata }: PersistentVolumeClaim): boolean {
  return (spec.volumeName ?? '') !== '' && metadata.annotations?.[BIND_COMPLETED] !== undefined;
}

/** Reports whether the claim waits for a consumer. A claim that names its volume does not. */
function isDelayed(claim: PersistentVolumeClaim, storage: StorageView): boolean {
  if ((claim.spec.volumeName ?? '') !== '') return false;
  return storage.storageClass(storageClassNameOf(claim))?.volumeBindingMode === 'WaitForFirstConsumer';
}
