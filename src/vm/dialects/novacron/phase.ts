import type { VirtualMachine } from '#api/novacron/virtual-machine';
import type { ObservedVm } from '#vm/engine/dialect';
import { isFinal, isMigrating, shutdownOf } from '#vm/engine/instance-state';

export type Phase = NonNullable<NonNullable<VirtualMachine['status']>['phase']>;

/** Returns the phase of a VM. `isBlocked`: it waits for a blocker of its start to be resolved. */
export function phaseOf({ spec }: VirtualMachine, observed: ObservedVm, isBlocked: boolean): Phase {
  const { instance, recorded, problem } = observed;
  if (instance !== undefined && !isFinal(instance)) {
    switch (instance.status?.phase) {
      case 'Running':
        return isMigrating(instance) ? 'Migrating' : 'Running';
      case 'Unknown':
        return 'Failed';
      default:
        return 'Pending';
    }
  }
  if (!spec.running) return 'Stopped';
  if (isBlocked) return 'Pending';
  if (problem !== undefined || recorded.startFailure !== undefined) return 'Failed';
  const end = instance === undefined ? undefined : shutdownOf(instance);
  // A stopped instance is replaced by the next one.
  return end === undefined || end.reason === 'Stopped' ? 'Pending' : 'Failed';
}
