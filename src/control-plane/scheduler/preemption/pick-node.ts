import type { PodInfo } from '../pod/pod-info.ts';
import { startOf } from './importance.ts';
import type { PreemptionCandidate } from './victims.ts';

/** Added to priorities to make them positive before they are summed, so that fewer victims always cost less. */
const ABOVE_MIN_PRIORITY = 2 ** 31;

/** Criteria in order of precedence, of which smaller values are better. */
const HARM: readonly ((candidate: PreemptionCandidate) => number)[] = [
  ({ broken }) => broken,
  ({ victims }) => victims[0]?.priority ?? 0,
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + ABOVE_MIN_PRIORITY, 0),
  ({ victims }) => victims.length,
];

/** Picks the candidate that does the least harm. A tie goes to the one whose most important victims started last. */
export function pickOneNodeForPreemption(candidates: readonly PreemptionCandidate[]): PreemptionCandidate | undefined {
  let left = candidates;
  for (const harm of HARM) {
    if (left.length < 2) return left[0];
    const min = Math.min(...left.map(harm));
    left = left.filter((candidate) => harm(candidate) === min);
  }
  return left.reduce<PreemptionCandidate | undefined>(
    (best, candidate) =>
      best === undefined || earliestStart(candidate.victims) > earliestStart(best.victims) ? candidate : best,
    undefined,
  );
}

/** Returns the earliest start of the most important victims. */
function earliestStart(victims: readonly PodInfo[]): string {
  const highest = Math.max(...victims.map(({ priority }) => priority));
  const starts = victims.filter(({ priority }) => priority === highest).map(startOf);
  return starts.sort()[0] ?? '';
}
