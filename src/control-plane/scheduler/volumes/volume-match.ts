import type { Node } from '#platform/kube/kinds/node';
import type { PersistentVolume, PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { storageClassNameOf } from '#platform/kube/kinds/volume-binding';
import { type NodeSelector, nodeTestOf } from '#platform/kube/selectors/node-selector';
import { resourceAmountOf } from '../pod/amounts.ts';
import { selectorOf } from '../pod/selector-cache.ts';

/** Reports whether a volume can be reached from a node. */
export function isReachable(volume: PersistentVolume, node: Node): boolean {
  const { required } = (volume.spec.nodeAffinity ?? {}) as { readonly required?: NodeSelector };
  if (required === undefined) return true;
  let test = reach.get(volume);
  if (test === undefined) {
    test = nodeTestOf(required);
    reach.set(volume, test);
  }
  return test(node);
}

/** Node tests are parsed once for each state of a volume, because they run for every node. */
const reach = new WeakMap<PersistentVolume, (node: Node) => boolean>();

/**
 * Returns the volume reserved for a claim, or else the smallest free one that matches and is reachable from the node.
 */
export function volumeFor(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  node: Node,
  taken: ReadonlySet<string>,
): PersistentVolume | undefined {
  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (taken.has(volume.metadata.name ?? '') || !isEnough(volume, claim) || !isReachable(volume, node)) continue;
    if (isReservedFor(volume, claim)) return volume;
    if (volume.spec.claimRef !== undefined || volume.status?.phase !== 'Available') continue;
    if (claim.spec.selector !== undefined && !selectorOf(claim.spec.selector).matches(volume.metadata.labels)) continue;
    if (best === undefined || sizeOf(volume) < sizeOf(best)) best = volume;
  }
  return best;
}

export function sizeOf({ spec }: PersistentVolume): number {
  return resourceAmountOf('storage', spec.capacity?.['storage'] ?? 0);
}

export function requestedSizeOf({ spec }: PersistentVolumeClaim): number {
  return resourceAmountOf('storage', spec.resources?.requests?.['storage'] ?? 0);
}

function isEnough(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { accessModes = [], volumeMode = 'Filesystem', volumeAttributesClassName = '' } = claim.spec;
  return (
    storageClassNameOf(volume) === storageClassNameOf(claim) &&
    volume.metadata.deletionTimestamp === undefined &&
    (volume.spec.volumeMode ?? 'Filesystem') === volumeMode &&
    (volume.spec.volumeAttributesClassName ?? '') === volumeAttributesClassName &&
    accessModes.every((mode) => volume.spec.accessModes?.includes(mode)) &&
    sizeOf(volume) >= requestedSizeOf(claim)
  );
}

function isReservedFor({ spec: { claimRef } }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  if (claimRef?.name !== metadata.name || claimRef?.namespace !== metadata.namespace) return false;
  return (claimRef?.uid ?? '') === '' || claimRef?.uid === metadata.uid;
}
