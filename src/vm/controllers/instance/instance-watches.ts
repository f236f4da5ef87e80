import { VMIS } from '#api/kubevirt/resources';
import { CREATED_BY_LABEL } from '#api/launcher';
import { NODES } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import type { Change } from '#platform/runtime/cache';
import { type WatchSource, watchSource } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import type { TransientStatusThrottle } from '#vm/engine/transient-status-throttle';
import { byClaim, instanceKeyOfPod } from './indices.ts';
import type { InstanceEntry } from './instance-entry.ts';
import { isKwokManaged } from './kwok-agent.ts';
import { isBound, isPodFinished } from './own-pods.ts';

/** Wakes the instances of pods. Under load, an instance is not reconciled before it runs or should have. */
export function podWatch(
  entries: ReadonlyMap<string, InstanceEntry>,
  throttle: Pick<TransientStatusThrottle, 'shouldHold'>,
): WatchSource {
  return watchSource(PODS, (pod, { cache }, change) => {
    const key = instanceKeyOfPod(pod);
    if (key === undefined) return [];
    const played = isKwokManaged(cache(NODES).get(change.object.spec.nodeName ?? ''));
    if (isBegun(change) && !played) return [];
    const isHeld = throttle.shouldHold(key) && isOnItsWay(change) && !played && entries.get(key)?.endWait() !== true;
    return isHeld ? [] : [key];
  });
}

/**
 * Notes pods that were deleted without notice. A node agent reports a pod as finished before it deletes it. If anyone
 * else deletes a pod, its machine is left to the node agent.
 */
export function abandonedPodWatch(entryOf: (key: string) => InstanceEntry): WatchSource {
  return watchSource(PODS, (pod, _context, { type }) => {
    const key = instanceKeyOfPod(pod);
    if (type !== 'deleted' || key === undefined || !isBound(pod) || isPodFinished(pod)) return [];
    entryOf(key).abandon(pod.metadata.labels?.[CREATED_BY_LABEL] ?? '', pod.spec.nodeName ?? '');
    return [];
  });
}

/** Wakes the instances that wait for a claim. */
export const instanceClaimWatch: WatchSource = watchSource(PERSISTENT_VOLUME_CLAIMS, (claim, { cache }) =>
  [...cache(VMIS).by(byClaim, keyOf(claim))].filter((vmi) => (vmi.status?.nodeName ?? '') === '').map(keyOf),
);

/** Reports whether the change only says that the node agent has started the pod, which needs no reconcile. */
function isBegun({ object, old }: Change<Pod>): boolean {
  if (old === undefined || isPodFinished(object) || isPodFinished(old)) return false;
  const sameLife = object.metadata.deletionTimestamp === old.metadata.deletionTimestamp;
  return isBound(old) && isBound(object) && sameLife && object.status?.phase !== old.status?.phase;
}

/** Reports whether the pod was only created or bound to a node by this change. */
function isOnItsWay({ type, object, old }: Change<Pod>): boolean {
  if (object.metadata.deletionTimestamp !== undefined || isPodFinished(object)) return false;
  if (type === 'added') return !isBound(object);
  return old !== undefined && !isBound(old) && isBound(object);
}
