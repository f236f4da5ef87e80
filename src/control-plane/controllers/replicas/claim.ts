import type { KubeObject } from '#platform/kube/kube-object';
import type { LabelSelector } from '#platform/kube/selectors/label-selector';

/** What an owner has to do so that the objects that fit its selector are its own and no others. */
export interface Claims<T extends KubeObject> {
  readonly owned: readonly T[];
  /** Nobody's, and fit. */
  readonly adopt: readonly T[];
  /** Its own, and do not fit any more. */
  readonly release: readonly T[];
}

/** Sorts objects of the owner's namespace; an owner that is going takes nothing new. */
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
