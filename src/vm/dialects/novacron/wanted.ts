import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { claimedDisks } from '#api/novacron/claims';
import { unservedFields } from '#api/novacron/unserved';
import type { VirtualMachine } from '#api/novacron/virtual-machine';
import type { Blocker } from '#vm/engine/dialect';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { withoutClaim } from '../claims.ts';

/** A machine as it is to be made, with all that surrounds it. */
export interface Wanted {
  readonly disks: readonly ClaimedDisk[];
  /** Why it is not started yet. */
  readonly blocked?: Blocker;
}

export function wantedOf(vm: VirtualMachine, around: Partial<VmDependencies> = {}): Wanted {
  const disks = claimedDisks(vm.metadata.name, vm.spec);
  const blocked = unserved(vm) ?? withoutClaim(disks, around.claims);
  return { disks, ...(blocked === undefined ? {} : { blocked }) };
}

/** Nothing runs other than as it was asked for. */
function unserved(vm: VirtualMachine): Blocker | undefined {
  const found = unservedFields(vm);
  if (found.length === 0) return undefined;
  const message = found.map(({ field, instead }) => `${field} is not served yet: ${instead}`).join('; ');
  return { reason: 'NotServed', message };
}
