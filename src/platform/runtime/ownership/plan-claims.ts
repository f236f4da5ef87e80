import type { KubeObject } from '#platform/kube/kube-object';
import type { LabelSelector } from '#platform/kube/selectors/label-selector';

/** Adoptions and releases that make the owner own exactly the objects that match its selector. */
export interface Claims<T extends KubeObject> {
  readonly owned: readonly T[];
  /** Objects that match and have no controller. */
  readonly adopt: readonly T[];
  /** Owned objects that no longer match. */
  readonly release: readonly T[];
}

/** Classifies objects of the owner's namespace. A terminating owner adopts nothing. */
export function planClaims<T extends KubeObject>(
  owner: KubeObject,
  selector: LabelSelector,
  objects: Iterable<T>,
): Claims<T> {
  const claims = { owned: [] as T[], adopt: [] as T[], release: [] as T[] };
  const leaving = owner.metadata.deletionTimestamp !== undefined;
  for (const object of objects) {
    const { ownerReferences, labels, deletionTimestamp } = object.metadata;
    const controller = ownerReferences?.find((ref) => ref.controller === true);
    const fits = selector.matches(labels);
    if (controller?.uid === owner.metadata.uid) {
      if (fits) claims.owned.push(object);
      else if (!leaving && deletionTimestamp === undefined) claims.release.push(object);
    } else if (controller === undefined && fits && !leaving && deletionTimestamp === undefined) {
      claims.adopt.push(object);
    }
  }
  return claims;
}
