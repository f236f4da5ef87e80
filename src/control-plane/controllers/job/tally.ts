import { finishedCondition, type Job } from '#platform/kube/kinds/batch';
import type { Pod } from '#platform/kube/kinds/pod';
import { isActive, isReady } from '../replicas/pod-state.ts';
import { type MatchedRule, matchedRule } from './failure-policy.ts';
import { type LastFailures, lastFailures } from './index-retry.ts';
import { formatIndexes, parseIndexes } from './index-set.ts';
import { indexFailures, indexOf, isIndexed, isTracked } from './job-pod.ts';

/** Counts of a Job, including pods that are finished and not counted in its status yet. */
export interface Tally {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly completedIndexes: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
  /** Uids of finished pods that the status does not count yet. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** Totals that the status may state: those of pods without the tracking finalizer. */
  readonly counted: { readonly succeeded: number; readonly failed: number };
  /** Failed pods that were not known before. */
  readonly newFailures: readonly Pod[];
  readonly newSuccesses: readonly Pod[];
  /** Failed pods that are counted once their index has a successor. Empty if retries are not limited by index. */
  readonly awaited: LastFailures;
  /** First failure that the failure policy makes fatal for the Job. */
  readonly fatal: MatchedRule | undefined;
}

/**
 * Counts the pods of a Job. A finished pod keeps a finalizer until its uid is in the status, and its uid stays there
 * until the finalizer is gone. So each pod is counted exactly once, whenever the controller is interrupted. A Job that
 * `isEnding` gets no more pods, so none of them waits for a successor.
 */
export function tallyPods(job: Job, pods: readonly Pod[], isEnding = false): Tally {
  const { status = {}, spec } = job;
  const before = {
    succeeded: status.uncountedTerminatedPods?.succeeded ?? [],
    failed: status.uncountedTerminatedPods?.failed ?? [],
  };
  const byUid = new Map(pods.map((pod) => [pod.metadata.uid ?? '', pod]));
  const isHeld = (uid: string) => isTracked(byUid.get(uid) ?? UNKNOWN);
  const finished = pods.filter(isTracked);
  const fresh = (uids: readonly string[], fits: (pod: Pod) => boolean) =>
    finished.filter((pod) => fits(pod) && !uids.includes(pod.metadata.uid ?? ''));
  const isCountedFailure = (pod: Pod) => hasFailed(job, pod) && matchedRule(job, pod)?.action !== 'Ignore';
  const newSuccesses = fresh(before.succeeded, hasSucceeded);
  const newFailures = fresh(before.failed, isCountedFailure);
  const uidsOf = (list: readonly Pod[]) => list.map(({ metadata }) => metadata.uid ?? '');
  const completions = spec.completions ?? 0;
  const completedIndexes = parseIndexes(status.completedIndexes, completions);
  const failedIndexes = parseIndexes(status.failedIndexes, completions);
  if (isIndexed(job)) noteIndexes(job, pods, completedIndexes, failedIndexes);
  const active = pods.filter(isActive);
  const taken = new Set(active.map(indexOf));
  const isOpen = (index: number) =>
    index < completions && !completedIndexes.has(index) && !failedIndexes.has(index) && !taken.has(index);
  const isAwaiting = spec.backoffLimitPerIndex !== undefined && !isEnding;
  const newlyFailed = fresh(before.failed, (pod) => hasFailed(job, pod));
  const awaited = isAwaiting ? lastFailures(newlyFailed, isOpen) : NONE_AWAITED;
  const held = new Set(awaited.values());
  const dropped = (uids: readonly string[]) => uids.filter((uid) => !isHeld(uid)).length;
  const succeededBefore = (status.succeeded ?? 0) + before.succeeded.length;
  return {
    active,
    ready: pods.filter((pod) => isActive(pod) && isReady(pod)).length,
    terminating: pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isDone(pod)).length,
    succeeded: isIndexed(job) ? completedIndexes.size : succeededBefore + newSuccesses.length,
    failed: (status.failed ?? 0) + before.failed.length + newFailures.length,
    completedIndexes,
    failedIndexes,
    uncounted: {
      succeeded: [...before.succeeded.filter(isHeld), ...uidsOf(newSuccesses)],
      failed: [...before.failed.filter(isHeld), ...uidsOf(newFailures.filter((pod) => !held.has(pod)))],
    },
    counted: {
      succeeded: isIndexed(job) ? completedIndexes.size : (status.succeeded ?? 0) + dropped(before.succeeded),
      failed: (status.failed ?? 0) + dropped(before.failed),
    },
    newFailures,
    newSuccesses,
    awaited,
    fatal: pods
      .filter((pod) => hasFailed(job, pod))
      .map((pod) => matchedRule(job, pod))
      .find((rule) => rule?.action === 'FailJob'),
  };
}

const NONE_AWAITED: LastFailures = new Map();
const UNKNOWN: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers: [] } };

export const hasSucceeded = ({ status }: Pod): boolean => status?.phase === 'Succeeded';
const isDone = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/**
 * Reports whether a pod has failed. A terminating pod counts as failed unless the Job waits for its end, or deleted it
 * because it is suspended.
 */
export function hasFailed({ spec }: Job, { metadata, status }: Pod): boolean {
  if (status?.phase === 'Failed') return true;
  if (status?.phase === 'Succeeded' || metadata.deletionTimestamp === undefined) return false;
  return spec.podReplacementPolicy !== 'Failed' && spec.suspend !== true;
}

/** Returns the pods that need not be held any more: those that the status names, and those that count for nothing. */
export function podsToRelease(job: Job, pods: readonly Pod[], { uncounted, awaited }: Tally): Pod[] {
  const held = new Set(awaited.values());
  const named = new Set([...uncounted.succeeded, ...uncounted.failed]);
  const isOver = finishedCondition(job) !== undefined || job.metadata.deletionTimestamp !== undefined;
  return pods.filter((pod) => {
    if (!isTracked(pod)) return false;
    if (isOver || named.has(pod.metadata.uid ?? '')) return true;
    if (hasFailed(job, pod)) return !held.has(pod) && matchedRule(job, pod)?.action === 'Ignore';
    return pod.metadata.deletionTimestamp !== undefined && job.spec.suspend === true;
  });
}

function noteIndexes(job: Job, pods: readonly Pod[], completed: Set<number>, failed: Set<number>): void {
  const { completions = 0, backoffLimitPerIndex } = job.spec;
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index === undefined || index >= completions) continue;
    if (hasSucceeded(pod)) completed.add(index);
    if (backoffLimitPerIndex === undefined || !hasFailed(job, pod)) continue;
    const action = matchedRule(job, pod)?.action;
    if (action === 'FailIndex' || (action !== 'Ignore' && indexFailures(pod).counted >= backoffLimitPerIndex))
      failed.add(index);
  }
  for (const index of completed) failed.delete(index);
}

/** Indexes as they are written in a status. */
export const indexTexts = ({ completedIndexes, failedIndexes }: Tally, job: Job) => ({
  ...(completedIndexes.size === 0 ? {} : { completedIndexes: formatIndexes(completedIndexes) }),
  ...(job.spec.backoffLimitPerIndex === undefined ? {} : { failedIndexes: formatIndexes(failedIndexes) }),
});
