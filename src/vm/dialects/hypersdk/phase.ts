import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { hasCondition } from '#vm/engine/condition';
import type { ObservedVm } from '#vm/engine/dialect';
import { isFinal, isMigrating } from '#vm/engine/instance-state';

export type Phase = NonNullable<NonNullable<VirtualMachine['status']>['phase']>;

/** Returns the phase of a VM. `isBlocked`: it waits for a blocker of its start to be resolved. */
export function phaseOf({ spec }: VirtualMachine, observed: ObservedVm, isBlocked: boolean): Phase {
  const { instance, recorded, problem } = observed;
  if (instance !== undefined && !isFinal(instance)) return livePhase(instance);
  if (!spec.running) return 'Stopped';
  const { gaveUp, retryAfter } = recorded.restarts ?? {};
  if (gaveUp === 'RestartsExhausted') return 'Failed';
  if (gaveUp === 'NotRestarted') return hasFailed(observed) ? 'Failed' : 'Stopped';
  if (isBlocked) return 'Pending';
  if (problem !== undefined || recorded.startFailure !== undefined) return 'Failed';
  // The ended instance is replaced by the next one.
  return instance === undefined || retryAfter !== undefined ? 'Pending' : 'Creating';
}

function hasFailed({ recorded }: ObservedVm): boolean {
  const { reason } = recorded.lastShutdown ?? {};
  return reason === 'Error' || reason === 'NodeLost';
}

function livePhase(instance: VirtualMachineInstance): Phase {
  const { phase, conditions } = instance.status ?? {};
  switch (phase) {
    case 'Running':
      if (isMigrating(instance)) return 'Migrating';
      return hasCondition(conditions, 'Paused') ? 'Paused' : 'Running';
    case 'Unknown':
      return 'Unknown';
    default:
      // An instance that makes no progress waits for a node or for storage.
      return STUCK.some((type) => hasCondition(conditions, type, 'False')) ? 'Pending' : 'Creating';
  }
}

const STUCK = ['PodScheduled', 'Synchronized'] as const;
