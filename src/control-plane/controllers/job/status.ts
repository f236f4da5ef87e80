import type { Job, JobStatus } from '#platform/kube/kinds/batch';
import { conditionOf, type KubeCondition, withCondition } from '#platform/kube/kinds/condition';
import { indexTexts, type Tally } from './tally.ts';
import type { Verdict } from './verdict.ts';

/** Everything that the status of a Job is made from. */
export interface JobFacts {
  readonly tally: Tally;
  readonly verdict: Verdict | undefined;
  /** Number of active pods after those that were created and deleted in this run. */
  readonly active: number;
  readonly terminating: number;
}

/** Builds the status of a Job. A result becomes final once no pod is left and all are counted. */
export function jobStatus(job: Job, { tally, verdict, active, terminating }: JobFacts, now: string): JobStatus {
  const { uncounted, counted, ready } = tally;
  const isSettled = active === 0 && terminating === 0 && uncounted.succeeded.length + uncounted.failed.length === 0;
  const startTime = job.spec.suspend === true && verdict === undefined ? undefined : (job.status?.startTime ?? now);
  let conditions = suspension(job, verdict, now);
  if (verdict !== undefined) conditions = withVerdict(conditions, verdict, verdict.target, now);
  if (verdict !== undefined && isSettled) conditions = withVerdict(conditions, verdict, verdict.final, now);
  const isComplete = conditionOf(conditions, 'Complete') !== undefined;
  return {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(isComplete ? { completionTime: now } : {}),
    ...(active === 0 ? {} : { active }),
    ready,
    terminating,
    ...(counted.succeeded === 0 ? {} : { succeeded: counted.succeeded }),
    ...(counted.failed === 0 ? {} : { failed: counted.failed }),
    ...indexTexts(tally, job),
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length === 0 ? {} : { succeeded: uncounted.succeeded }),
      ...(uncounted.failed.length === 0 ? {} : { failed: uncounted.failed }),
    },
  };
}

function withVerdict(
  conditions: readonly KubeCondition[],
  { reason, message }: Verdict,
  type: string,
  now: string,
): KubeCondition[] {
  if (conditionOf(conditions, type)?.status === 'True') return [...conditions];
  return withCondition(conditions, { type, status: 'True', reason, message, lastProbeTime: now }, now);
}

function suspension({ spec, status }: Job, verdict: Verdict | undefined, now: string): KubeCondition[] {
  const conditions = [...(status?.conditions ?? [])];
  const isSuspended = conditionOf(conditions, 'Suspended')?.status === 'True';
  if (verdict !== undefined || (spec.suspend === true) === isSuspended) return conditions;
  const condition = isSuspended
    ? { status: 'False' as const, reason: 'JobResumed', message: 'Job resumed' }
    : { status: 'True' as const, reason: 'JobSuspended', message: 'Job suspended' };
  return withCondition(conditions, { type: 'Suspended', ...condition, lastProbeTime: now }, now);
}
