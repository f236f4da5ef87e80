import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { claimedDisks } from '#api/novacron/claims';
import { unsupportedFields } from '#api/novacron/unsupported';
import type { VirtualMachine } from '#api/novacron/virtual-machine';
import type { Blocker } from '#vm/engine/dialect';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { claimBlocker } from '../claims.ts';

/** Desired VM together with its dependencies. */
export interface NovacronDesiredSpec {
  readonly disks: readonly ClaimedDisk[];
  /** Reason why the VM is not started yet. */
  readonly blocked?: Blocker;
}

export function novacronDesiredSpecOf(
  vm: VirtualMachine,
  dependencies: Partial<VmDependencies> = {},
): NovacronDesiredSpec {
  const disks = claimedDisks(vm.metadata.name, vm.spec);
  const blocked = unsupportedBlocker(vm) ?? claimBlocker(disks, dependencies.claims);
  return { disks, ...(blocked === undefined ? {} : { blocked }) };
}

/** Blocks a VM with unsupported fields, since nothing should run other than as requested. */
function unsupportedBlocker(vm: VirtualMachine): Blocker | undefined {
  const found = unsupportedFields(vm);
  if (found.length === 0) return undefined;
  const message = found.map(({ field, instead }) => `${field} is not supported yet: ${instead}`).join('; ');
  return { reason: 'NotServed', message };
}
