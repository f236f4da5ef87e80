import type { Phase, VirtualMachine } from '#api/simulation/virtual-machine';
import type { ObservedVm } from '#vm/engine/dialect';
import { isFinal, shutdownOf } from '#vm/engine/instance-state';

/** Returns the phase of a simulated VM. */
export function phaseOf({ spec }: VirtualMachine, { instance, problem, recorded }: ObservedVm): Phase {
  if (instance !== undefined && !isFinal(instance)) {
    switch (instance.status?.phase) {
      case 'Scheduling':
      case 'Scheduled':
      case 'Running':
        return instance.status.phase;
      case 'Unknown':
        return 'Failed';
      default:
        return 'Pending';
    }
  }
  if (!spec.running) return 'Stopped';
  if (problem !== undefined || recorded.startFailure !== undefined) return 'Failed';
  const end = instance === undefined ? undefined : shutdownOf(instance);
  // A stopped instance is replaced by the next one.
  return end === undefined || end.reason === 'Stopped' ? 'Pending' : 'Failed';
}
