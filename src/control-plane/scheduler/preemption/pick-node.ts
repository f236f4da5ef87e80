import type { PodInfo } from '../pod/pod-info.ts';
import { startOf } from './importance.ts';
import type { PreemptionCandidate } from './victims.ts';

/** Priorities are made positive before they are added up, so that fewer victims are always less. */
const ABOVE_MIN_PRIORITY = 2 ** 31;

/** Smaller is better, one after the other: what a choice does to others. */
const HARM: readonly ((candidate: PreemptionCandidate) => number)[] = [
  ({ broken }) => broken,
  ({ victims }) => victims[0]?.priority ?? 0,
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + ABOVE_MIN_PRIORITY, 0),
  ({ victims }) => victims.length,
];

/** The candidate that does the least harm; of equals the one whose most important victims have run the least. */
export function pickOneNodeForPreemption(candidates: readonly PreemptionCandidate[]): PreemptionCandidate | undefined {
  let left = candidates;
  for (const harm of HARM) {
    if (left.length < 2) return left[0];
    const least = Math.min(...left.map(harm));
    left = left.filter((candidate) => harm(candidate) === least);
  }
  return left.reduce<PreemptionCandidate | undefined>(
    (best, candidate) =>
      best === undefined || earliestStart(candidate.victims) > earliestStart(best.victims) ? candidate : best,
    undefined,
  );
}

/** When the first of the most important victims began. */
function earliestStart(victims: readonly PodInfo[]): string {
  const highest = Math.max(...victims.map(({ priority }) => priority));
  const starts = victims.filter(({ priority }) => priority === highest).map(startOf);
  return starts.sort()[0] ?? '';
}
