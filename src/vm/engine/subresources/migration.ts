import type { Vmim } from '#api/kubevirt/resources';
import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { KubeError } from '#platform/kube/kube-error';
import { inFlightMigration } from '../in-flight-migration.ts';
import { conflict } from './errors.ts';
import type { ActionOptions } from './options.ts';

/** Builds the migration that a user requests, or returns why it is denied. `others` are those of the namespace. */
export function newMigration(
  machine: string,
  instance: VirtualMachineInstance,
  others: readonly Vmim[],
  { addedNodeSelector }: ActionOptions,
): { readonly metadata: object; readonly spec: Vmim['spec'] } | { readonly refused: KubeError } {
  const subject = { kind: 'virtualmachine', name: machine } as const;
  const { name: vmiName } = instance.metadata;
  if (instance.status?.phase !== 'Running') return { refused: conflict(subject, 'VM is not running') };
  const active = inFlightMigration(others.filter(({ spec }) => spec.vmiName === vmiName));
  if (active !== undefined) return { refused: conflict(subject, active) };
  return {
    metadata: { generateName: 'kubevirt-migrate-vm-' },
    spec: { vmiName, ...(addedNodeSelector === undefined ? {} : { addedNodeSelector }) },
  };
}
