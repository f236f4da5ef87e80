import type { Pod } from './pod-spec.ts';

/**
 * Returns the grace period of a deleted pod: the requested one, or else its own. A pod that is unscheduled or finished
 * is deleted at once.
 */
export function podGrace({ spec, status }: Pod, requested: number | undefined): number {
  const desired = requested ?? spec.terminationGracePeriodSeconds ?? 0;
  if ((spec.nodeName ?? '') === '' || status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0;
  return desired < 0 ? 1 : desired;
}
