import { type CronSchedule, parseCron } from '#platform/base/cron';
import { type CronJob, finishedCondition, type Job } from '#platform/kube/kinds/batch';

/** Missed runs beyond this number are not looked for one by one. */
const MAX_MISSED = 100;

/** Next actions for a CronJob. */
export interface CronPlan {
  /** Scheduled time of the run that starts now. */
  readonly start?: number;
  /** Running Jobs that a new run replaces. */
  readonly replace: readonly Job[];
  /** Set if a run was due, and why it does not start. */
  readonly skipped?: 'MissSchedule' | 'JobAlreadyActive' | 'TooManyMissedTimes';
  /** Time of the next run, undefined if there is none. */
  readonly next?: number;
}

/** Plans the run of a CronJob that is due, if any, and when to look again. */
export function planCronJob(cronJob: CronJob, jobs: readonly Job[], now: number): CronPlan {
  const { spec } = cronJob;
  if (spec.suspend === true || cronJob.metadata.deletionTimestamp !== undefined) return { replace: [] };
  const schedule = parseCron(spec.schedule);
  const following = schedule.next(now, spec.timeZone);
  const next = following === undefined ? {} : { next: following };
  const { last: due, count } = lastMissed(schedule, cronJob, now);
  if (due === undefined) return { replace: [], ...next };
  const { startingDeadlineSeconds: deadline, concurrencyPolicy } = spec;
  const tooMany = count > MAX_MISSED ? ({ skipped: 'TooManyMissedTimes' } as const) : {};
  if (deadline !== undefined && due + deadline * 1000 < now) return { replace: [], skipped: 'MissSchedule', ...next };
  const active = jobs.filter((job) => finishedCondition(job) === undefined);
  if (jobs.some(({ metadata }) => metadata.name === jobName(cronJob, due))) return { replace: [], ...next };
  if (concurrencyPolicy === 'Forbid' && active.length > 0) return { replace: [], skipped: 'JobAlreadyActive', ...next };
  return { start: due, replace: concurrencyPolicy === 'Replace' ? active : [], ...tooMany, ...next };
}

/** Returns the latest run since the last one that was started, and how many there were. */
function lastMissed(schedule: CronSchedule, { metadata, spec, status }: CronJob, now: number) {
  const created = Date.parse(metadata.creationTimestamp ?? '') || now;
  let after = status?.lastScheduleTime === undefined ? created : Date.parse(status.lastScheduleTime);
  if (spec.startingDeadlineSeconds !== undefined)
    after = Math.max(after, now - spec.startingDeadlineSeconds * 1000 - 1);
  let last: number | undefined;
  let count = 0;
  for (
    let at = schedule.next(after, spec.timeZone);
    at !== undefined && at <= now;
    at = schedule.next(at, spec.timeZone)
  ) {
    last = at;
    if (++count > MAX_MISSED) return { last: latestBefore(schedule, spec.timeZone, at, now), count };
  }
  return { last, count };
}

/** Finds the latest run by halving the time that is left, since there may be millions of runs before it. */
function latestBefore(schedule: CronSchedule, timeZone: string | undefined, known: number, now: number): number {
  let last = known;
  for (let step = now - last; step >= 1; ) {
    const found = schedule.next(now - step, timeZone);
    if (found !== undefined && found <= now) last = found;
    step = Math.floor(step / 2);
  }
  return last;
}

/** Returns the name of the Job of a run, which is the same whenever it is planned. */
export function jobName({ metadata }: CronJob, scheduled: number): string {
  return `${metadata.name}-${Math.floor(scheduled / 60_000)}`;
}

/** Returns finished Jobs beyond the history limits, the oldest first. */
export function jobsToPrune({ spec }: CronJob, jobs: readonly Job[]): Job[] {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = spec;
  const ended = (type: string) =>
    jobs.filter((job) => finishedCondition(job)?.type === type).toSorted((a, b) => startOf(a) - startOf(b));
  const beyond = (list: readonly Job[], limit: number) => list.slice(0, Math.max(0, list.length - limit));
  return [...beyond(ended('Complete'), successfulJobsHistoryLimit), ...beyond(ended('Failed'), failedJobsHistoryLimit)];
}

const startOf = ({ metadata, status }: Job): number =>
  Date.parse(status?.startTime ?? metadata.creationTimestamp ?? '');
