import { OPERATION } from '../../api/operation-request.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import type { Index } from '../../runtime/cache.ts';
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

/** The key of the operation that has made an object. */
export function makerOf({ metadata }: KubeObject): string[] {
  const key = metadata.annotations?.[OPERATION];
  return key === undefined ? [] : [key];
}
