import type { DiskSource } from '#api/disk/request';
import type { Operation } from '#api/hypersdk/operation-resources';
import { OPERATION, OPERATION_UID } from '#api/operation-request';
import { readRecord } from '#platform/base/json-record';

/** Looks up an operation by its key. */
export type FindOperation = (key: string) => Operation | undefined;

/** Sources of copied claims, by claim name. */
export type Copies = Readonly<Record<string, DiskSource>>;

/**
 * Returns the clone that an object says it was created by, while it is in progress. What an operation was allowed to do
 * must not be allowed to anyone who repeats its annotations later.
 */
export function activeClone(
  annotations: Readonly<Record<string, string>> | undefined,
  find: FindOperation,
): Operation | undefined {
  const key = annotations?.[OPERATION];
  const found = key === undefined ? undefined : find(key);
  if (found?.spec.operation !== 'clone' || found.metadata.uid !== annotations?.[OPERATION_UID]) return undefined;
  const { phase = 'Pending' } = found.status ?? {};
  return phase === 'Pending' || phase === 'Running' ? found : undefined;
}

/** Returns the copies that a clone has recorded, or undefined before it has. */
export function copiesIn({ status }: Operation): Copies | undefined {
  const { copies } = status?.checkpoint ?? {};
  return copies === undefined ? undefined : (readRecord(copies) as Copies);
}

/** VM that an operation references. */
export interface NamedVm {
  readonly group: string;
  readonly namespace: string;
  readonly name: string;
}

/** Returns the referenced VM. An empty group or namespace counts as absent. */
export function namedVmOf({
  metadata,
  spec,
}: {
  readonly metadata: { readonly namespace?: string };
  readonly spec: Pick<Operation['spec'], 'vmRef'>;
}): NamedVm {
  const { name, namespace, apiGroup } = spec.vmRef;
  return { group: apiGroup || 'hypersdk.io', namespace: namespace || (metadata.namespace ?? ''), name };
}

/** Returns the namespace of the new VM of a clone. */
export const cloneNamespace = (operation: Operation): string =>
  operation.spec.cloneSpec?.targetNamespace || namedVmOf(operation).namespace;
