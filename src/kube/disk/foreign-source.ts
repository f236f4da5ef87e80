import type { DiskSource } from '../../api/disk/request.ts';
import { OPERATION, OPERATION_UID } from '../../api/operation-request.ts';
import { isSameJson } from '../../base/json-same.ts';
import type { Operation } from '../kinds/operations.ts';

type Annotations = Readonly<Record<string, string>> | undefined;

/** A claim that is to be a copy, with what it or its machine says of the operation that made it. */
export interface CopyingClaim {
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Annotations;
}

/**
 * Whether a claim may be a copy of its source. One of another namespace is read only for a clone operation, which was
 * allowed to and has written down what each claim is to be a copy of: the claim itself may say anything.
 */
export function mayCopy(
  source: DiskSource,
  { namespace, name, annotations }: CopyingClaim,
  operation: (key: string) => Operation | undefined,
): boolean {
  if (source.namespace === undefined || source.namespace === namespace) return true;
  const { spec, metadata, status } = operation(annotations?.[OPERATION] ?? '') ?? {};
  if (spec?.operation !== 'clone' || metadata?.uid !== annotations?.[OPERATION_UID]) return false;
  const { copies = '{}' } = status?.checkpoint ?? {};
  if (status?.result?.targetNamespace !== namespace) return false;
  const recorded = JSON.parse(copies) as Readonly<Record<string, DiskSource>>;
  return Object.hasOwn(recorded, name) && isSameJson(recorded[name], source);
}
