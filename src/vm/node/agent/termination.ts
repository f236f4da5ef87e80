import { conditionOf } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';
import type { MachineExit } from '../machine-driver.ts';

/** Reason why the node agent itself ended a machine. */
export type Cause = 'LivenessProbeFailed' | 'Fenced' | 'NodeDeleted' | 'Lost';

/** Consequences of a machine's end for its instance and its launcher pod. */
export interface Termination {
  readonly phase: 'Succeeded' | 'Failed';
  /** One-word reason for the status of the instance. */
  readonly reason: string;
  readonly message: string;
  /** Exit code of the launcher's container. */
  readonly exitCode: number;
  readonly exitReason: string;
}

export interface TerminationContext {
  /** Undefined if the machine never ran. */
  readonly end: MachineExit | undefined;
  readonly cause: Cause | undefined;
  /** The deletion of the instance, or of its pod, was requested. */
  readonly instanceDeleted: boolean;
  readonly podDeleted: boolean;
  /** Reason for the eviction of the pod, if it was evicted. */
  readonly eviction?: string | undefined;
}

const CLEAN = { exitCode: 0, exitReason: 'Completed' };
const BROKEN = { exitCode: 1, exitReason: 'Error' };
const CUT = { exitCode: 137, exitReason: 'Error' };

/** The machine has left this node as intended. */
export const MIGRATED_AWAY: Termination = {
  phase: 'Succeeded',
  reason: 'Migrated',
  message: 'the VM was migrated to another node',
  ...CLEAN,
};

export const CAUSES: Readonly<Record<Cause, string>> = {
  LivenessProbeFailed: 'the liveness probe of the VM failed',
  Fenced: 'the node could not renew its lease and stopped its VMs so that they can run on other nodes',
  NodeDeleted: 'the node was deleted together with its VMs',
  Lost: 'the VM no longer existed when the node returned',
};

/** Returns how a machine ended, or that it never started. */
export function terminationOf({ end, cause, instanceDeleted, podDeleted, eviction }: TerminationContext): Termination {
  const message = end?.message ?? 'the VM never ran';
  if (end?.reason === 'Migrated') return MIGRATED_AWAY;
  if (end?.reason === 'Crashed') return { phase: 'Failed', reason: 'GuestCrashed', message, ...BROKEN };
  if (end?.reason === 'OutOfMemory') {
    return { phase: 'Failed', reason: 'OutOfMemory', message, exitCode: 137, exitReason: 'OOMKilled' };
  }
  if (cause !== undefined) return { phase: 'Failed', reason: cause, message: CAUSES[cause], ...CUT };
  if (instanceDeleted) return { phase: 'Succeeded', reason: 'Stopped', message, ...CLEAN };
  if (podDeleted) {
    const how = end === undefined || end.reason === 'Killed' ? CUT : CLEAN;
    if (eviction !== undefined) {
      return { phase: 'Failed', reason: 'Evicted', message: `the launcher pod was evicted: ${eviction}`, ...how };
    }
    return { phase: 'Failed', reason: 'PodDeleted', message: 'the launcher pod was deleted', ...how };
  }
  if (end?.reason === 'GuestShutdown') return { phase: 'Succeeded', reason: 'GuestShutdown', message, ...CLEAN };
  if (end?.reason === 'Stopped') return { phase: 'Succeeded', reason: 'Stopped', message, ...CLEAN };
  return { phase: 'Failed', reason: end?.reason ?? 'NeverRan', message, ...CUT };
}

/** Returns why a pod was evicted, in the words of whatever evicted it, or undefined if it was not. */
export function evictionOf({ status }: Pod): string | undefined {
  const disruption = conditionOf(status?.conditions, 'DisruptionTarget');
  return disruption?.status === 'True' ? disruption.message || disruption.reason || 'disrupted' : undefined;
}
