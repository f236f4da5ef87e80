import { OPERATION } from '#api/operation-request';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Index } from '#platform/runtime/cache';
import { isFinished, type Operation, snapshotOf, vmKey, vmRefOf } from './operation.ts';

/** Indexes unfinished operations by their VM. */
export const operationsByVm: Index<Operation> = {
  values: (operation) => (isFinished(operation) ? [] : [vmKey(vmRefOf(operation))]),
};

/** Indexes unfinished operations by the snapshot that they start from, as `namespace/name`. */
export const bySnapshot: Index<Operation> = {
  values: (operation) => {
    const key = snapshotOf(operation);
    return key === undefined || isFinished(operation) ? [] : [key];
  },
};

const LACKING: ReadonlySet<string> = new Set(['NotFound', 'DiskNotReady']);

/** Indexes clones that wait for something, which may be a disk of their VM, by its namespace. */
export const waitingForDisk: Index<Operation> = {
  values: (operation) => {
    const lacks = operation.status?.conditions?.some(({ reason }) => LACKING.has(reason ?? '')) === true;
    return operation.spec.operation === 'clone' && lacks && !isFinished(operation)
      ? [vmRefOf(operation).namespace]
      : [];
  },
};

/** Returns the key of the operation that created an object. */
export function creatorKeys({ metadata }: KubeObject): string[] {
  const key = metadata.annotations?.[OPERATION];
  return key === undefined ? [] : [key];
}
