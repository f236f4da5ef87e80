import type { ObservedVm } from './dialect.ts';
import { isFinal, isTerminating } from './instance-state.ts';

/** The state that a machine is only passing through; undefined where it stays until somebody does something. */
export function transientState(leaving: boolean, { instance, problem }: ObservedVm): string | undefined {
  if (leaving) return 'Terminating';
  if (instance === undefined || problem !== undefined) return undefined;
  if (isTerminating(instance)) return 'Stopping';
  if (isFinal(instance) || instance.status?.phase === 'Running' || instance.status?.phase === 'Unknown')
    return undefined;
  const stuck = instance.status?.conditions?.some(({ type, status }) => status === 'False' && STUCK.has(type)) === true;
  return stuck ? undefined : 'Starting';
}

/** False, these say why an instance does not come along. */
const STUCK: ReadonlySet<string> = new Set(['PodScheduled', 'Synchronized']);
