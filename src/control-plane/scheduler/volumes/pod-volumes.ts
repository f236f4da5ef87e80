import type { Node } from '#platform/kube/kinds/node';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';
import { NO_PROVISIONER, SELECTED_NODE, storageClassNameOf } from '#platform/kube/kinds/volume-binding';
import type { StorageView } from '../framework/cluster-view.ts';
import type { PodVolumeClaims } from './pod-volume-claims.ts';
import { isReachable, requestedSizeOf, volumeFor } from './volume-match.ts';

/** Volumes for the claims of a pod on one node. */
export interface PodVolumes {
  readonly bind: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  /** Claims for which the provisioner of the class creates a volume that the node can reach. */
  readonly provision: readonly PersistentVolumeClaim[];
}

const NOTHING: PodVolumes = { bind: [], provision: [] };
const GONE = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';
const ELSEWHERE = "node(s) didn't match PersistentVolume's node affinity";
const NONE_LEFT = "node(s) didn't find available persistent volumes to bind";

/** Finds volumes for the claims of a pod on a node, or returns the reason why not all can have one there. */
export function findPodVolumes(
  { bound, delayed }: PodVolumeClaims,
  node: Node,
  storage: StorageView,
): PodVolumes | string {
  for (const claim of bound) {
    const volume = storage.volume(claim.spec.volumeName ?? '');
    if (volume === undefined) return GONE;
    if (!isReachable(volume, node)) return ELSEWHERE;
  }
  if (delayed.length === 0) return NOTHING;
  const provision: PersistentVolumeClaim[] = [];
  const open: PersistentVolumeClaim[] = [];
  for (const claim of delayed) {
    const selected = claim.metadata.annotations?.[SELECTED_NODE];
    if (selected === undefined) open.push(claim);
    else if (selected === node.metadata.name) provision.push(claim);
    else return NONE_LEFT;
  }
  const bind: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  const taken = new Set<string>();
  // The smallest claims choose first and so leave large volumes to large claims.
  for (const claim of open.sort((a, b) => requestedSizeOf(a) - requestedSizeOf(b))) {
    const volume = volumeFor(claim, storage.freeVolumes(storageClassNameOf(claim)), node, taken);
    if (volume === undefined) provision.push(claim);
    else {
      bind.push({ claim, volume });
      taken.add(volume.metadata.name ?? '');
    }
  }
  return provision.every((claim) => canProvision(storage.storageClass(storageClassNameOf(claim)), node))
    ? { bind, provision }
    : NONE_LEFT;
}

function canProvision(storageClass: StorageClass | undefined, node: Node): boolean {
  if (storageClass === undefined || storageClass.provisioner === '' || storageClass.provisioner === NO_PROVISIONER) {
    return false;
  }
  const { allowedTopologies = [] } = storageClass;
  const { labels = {} } = node.metadata;
  return (
    allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? '')),
    )
  );
}
