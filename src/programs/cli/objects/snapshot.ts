import { type VMSnapshotInput, vmSnapshot } from '#api/hypersdk/vm-snapshot';
import type { Random } from '#platform/base/random';
import { definedFields, hasDefinedFields } from '../../../platform/base/defined-fields.ts';
import { type About, newName, vmRefOf } from './operation.ts';

export interface SnapshotFlags {
  /** Name of the snapshot. Defaults to a generated one. */
  readonly snapshot?: string;
  readonly includeMemory?: boolean;
  readonly quiesce?: boolean;
  readonly description?: string;
  readonly keepDays?: number;
  readonly keepCount?: number;
  readonly expiresAt?: string;
}

/** Builds a VMSnapshot of the current state of a VM. */
export function newSnapshot(
  { vm, group, namespace }: About,
  { snapshot, includeMemory, quiesce, description, keepDays, keepCount, expiresAt }: SnapshotFlags,
  random: Random,
): VMSnapshotInput {
  return {
    apiVersion: vmSnapshot.apiVersion,
    kind: vmSnapshot.kind,
    metadata: { name: snapshot ?? newName(vm, 'snapshot', random), ...definedFields({ namespace }) },
    spec: {
      vmRef: vmRefOf(vm, group),
      ...definedFields({
        includeMemory: includeMemory === true ? true : undefined,
        quiesce: quiesce === false ? false : undefined,
        description,
        retention: hasDefinedFields({ keepDays, keepCount, expiresAt }),
      }),
    },
  };
}
