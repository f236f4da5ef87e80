import type { ObservedVm } from './dialect.ts';
import { isFinal, isTerminating } from './instance-state.ts';

/** Returns the transient state of a VM, or undefined if the state lasts until something changes it. */
export function transientState(leaving: boolean, { instance, problem }: ObservedVm): string | undefined {
  if (leaving) return 'Terminating';
  if (instance === undefined || problem !== undefined) return undefined;
  if (isTerminating(instance)) return 'Stopping';
  if (isFinal(instance) || instance.status?.phase === 'Running' || instance.status?.phase === 'Unknown')
    return undefined;
  const stuck = instance.status?.conditions?.some(({ type, status }) => status === 'False' && STUCK.has(type)) === true;
  return stuck ? undefined : 'Starting';
}

/** Conditions that explain, when False, why an instance makes no progress. */
const STUCK: ReadonlySet<string> = new Set(['PodScheduled', 'Synchronized']);
