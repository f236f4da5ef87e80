import type { Job, SuccessRule } from '#platform/kube/kinds/batch';
import { conditionOf } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';
import { parseIndexes } from './index-set.ts';
import { isIndexed } from './job-pod.ts';
import type { Tally } from './tally.ts';

/** Result that a Job heads for: the condition that announces it, and that which states it. */
export interface Verdict {
  readonly target: 'SuccessCriteriaMet' | 'FailureTarget';
  readonly final: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

const failure = (reason: string, message: string): Verdict => ({
  target: 'FailureTarget',
  final: 'Failed',
  reason,
  message,
});
const success = (reason: string, message: string): Verdict => ({
  target: 'SuccessCriteriaMet',
  final: 'Complete',
  reason,
  message,
});

/** Decides whether a Job has succeeded or failed, undefined while neither is certain. */
export function verdictOf(job: Job, tally: Tally, now: number): Verdict | undefined {
  return recordedVerdict(job) ?? failureVerdict(job, tally, now) ?? successVerdict(job, tally);
}

/** A result that was announced is never changed. */
function recordedVerdict({ status }: Job): Verdict | undefined {
  for (const verdict of [failure, success]) {
    const { target } = verdict('', '');
    const condition = conditionOf(status?.conditions, target);
    if (condition?.status === 'True') return verdict(condition.reason ?? '', condition.message ?? '');
  }
  return undefined;
}

function failureVerdict(job: Job, tally: Tally, now: number): Verdict | undefined {
  const { spec } = job;
  if (tally.fatal !== undefined) return failure('PodFailurePolicy', tally.fatal.message);
  const limit = spec.backoffLimit ?? 6;
  if (tally.failed > limit) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if (spec.template.spec['restartPolicy'] === 'OnFailure' && restartsExceed(tally.active, limit)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if (deadlineMs(job, now) === 0) return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  if (spec.maxFailedIndexes !== undefined && tally.failedIndexes.size > spec.maxFailedIndexes) {
    return failure('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  }
  const isOver = tally.completedIndexes.size + tally.failedIndexes.size >= (spec.completions ?? 0);
  if (tally.failedIndexes.size > 0 && isOver) return failure('FailedIndexes', 'Job has failed indexes');
  return undefined;
}

/** Counts restarts of containers, which are the retries of a pod that is never replaced. */
function restartsExceed(pods: readonly Pod[], limit: number): boolean {
  const restarts = pods.reduce(
    (sum, { status }) => (status?.containerStatuses ?? []).reduce((all, each) => all + (each.restartCount ?? 0), sum),
    0,
  );
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Returns the time until the deadline of a Job, 0 if it has passed, undefined if there is none. */
export function deadlineMs({ spec, status }: Job, now: number): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || spec.suspend === true || status?.startTime === undefined) {
    return undefined;
  }
  return Math.max(0, Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000 - now);
}

function successVerdict(job: Job, tally: Tally): Verdict | undefined {
  const { completions, successPolicy } = job.spec;
  if (isIndexed(job) && successPolicy?.rules.some((rule) => fulfills(rule, tally, completions ?? 0)) === true) {
    const at = successPolicy.rules.findIndex((rule) => fulfills(rule, tally, completions ?? 0));
    return success('SuccessPolicy', `Matched rules at index ${at}`);
  }
  // Without completions, the pods decide together: one success means that the work is done.
  const isDone =
    completions === undefined
      ? tally.succeeded > 0 && tally.active.length === 0 && tally.terminating === 0
      : tally.succeeded >= completions;
  return isDone ? success('CompletionsReached', 'Reached expected number of succeeded pods') : undefined;
}

function fulfills({ succeededIndexes, succeededCount }: SuccessRule, tally: Tally, completions: number): boolean {
  const named = succeededIndexes === undefined ? undefined : parseIndexes(succeededIndexes, completions);
  const done = [...tally.completedIndexes].filter((index) => named?.has(index) ?? true).length;
  return done >= (succeededCount ?? named?.size ?? completions);
}
