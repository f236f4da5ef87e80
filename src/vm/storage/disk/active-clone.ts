import type { DiskSource } from '#api/disk/request';
import type { Operation } from '#api/hypersdk/operation-resources';
import { OPERATION, OPERATION_UID } from '#api/operation-request';
import { readRecord } from '#platform/base/json-record';

/** The operation of a key, as far as it is seen. */
export type FindOperation = (key: string) => Operation | undefined;

/** By the name of a claim, what it is to be a copy of. */
export type Copies = Readonly<Record<string, DiskSource>>;

/**
 * The clone that something says it was made by, as long as that is under way: what an operation was allowed to do is not
 * allowed to whoever repeats its words afterwards.
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

/** What a clone has written down of its claims; undefined before it has. */
export function copiesIn({ status }: Operation): Copies | undefined {
  const { copies } = status?.checkpoint ?? {};
  return copies === undefined ? undefined : (readRecord(copies) as Copies);
}

/** The machine that an operation names. */
export interface NamedMachine {
  readonly group: string;
  readonly namespace: string;
  readonly name: string;
}

/** An empty group or namespace is as good as none. */
export function machineNamedBy({
  metadata,
  spec,
}: {
  readonly metadata: { readonly namespace?: string };
  readonly spec: Pick<Operation['spec'], 'vmRef'>;
}): NamedMachine {
  const { name, namespace, apiGroup } = spec.vmRef;
  return { group: apiGroup || 'hypersdk.io', namespace: namespace || (metadata.namespace ?? ''), name };
}

/** Where a clone puts the new machine. */
export const cloneNamespace = (operation: Operation): string =>
  operation.spec.cloneSpec?.targetNamespace || machineNamedBy(operation).namespace;
