import { OPERATION } from '#api/operation-request';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Index } from '#platform/runtime/cache';
import { isOver, machineKey, machineOf, type Operation, snapshotOf } from './operation.ts';

/** Operations that are not over by their machine. */
export const byMachine: Index<Operation> = {
  values: (operation) => (isOver(operation) ? [] : [machineKey(machineOf(operation))]),
};

/** Operations that are not over by the snapshot that they start from, as `namespace/name`. */
export const bySnapshot: Index<Operation> = {
  values: (operation) => {
    const key = snapshotOf(operation);
    return key === undefined || isOver(operation) ? [] : [key];
  },
};

const LACKING: ReadonlySet<string> = new Set(['NotFound', 'DiskNotReady']);

/** Clones that wait for something, which may be a disk of their machine, by its namespace. */
export const waitingForDisk: Index<Operation> = {
  values: (operation) => {
    const lacks = operation.status?.conditions?.some(({ reason }) => LACKING.has(reason ?? '')) === true;
    return operation.spec.operation === 'clone' && lacks && !isOver(operation) ? [machineOf(operation).namespace] : [];
  },
};

/** The key of the operation that has made an object. */
export function makerOf({ metadata }: KubeObject): string[] {
  const key = metadata.annotations?.[OPERATION];
  return key === undefined ? [] : [key];
}
