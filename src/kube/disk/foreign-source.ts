import type { DiskSource } from '../../api/disk/request.ts';
import { isSameJson } from '../../base/json-same.ts';
import { cloneUnderWay, copiesIn, type FindOperation } from './clone-under-way.ts';

/** A claim that is to be a copy, with what it says of the operation that made it. */
export interface CopyingClaim {
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

/**
 * Whether a claim may be a copy of its source. One of another namespace is read only for a clone that is under way, which
 * was allowed to and has written down what each claim is to be a copy of: the claim itself may say anything.
 */
export function mayCopy(
  source: DiskSource,
  { namespace, name, annotations }: CopyingClaim,
  operation: FindOperation,
): boolean {
  if (source.namespace === undefined || source.namespace === namespace) return true;
  const clone = cloneUnderWay(annotations, operation);
  if (clone?.status?.result?.targetNamespace !== namespace) return false;
  const recorded = copiesIn(clone) ?? {};
  return Object.hasOwn(recorded, name) && isSameJson(recorded[name], source);
}
