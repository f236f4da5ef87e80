import { ParseError } from '#platform/base/errors';
import { timestamp } from '#platform/base/timestamp';
import type { NewObject } from '#platform/kube/client';
import { CRON_JOBS, type CronJob, finishedCondition, JOBS, type Job } from '#platform/kube/kinds/batch';
import { ignoreNotFound, isAlreadyExists, isNamespaceTerminating } from '#platform/kube/kube-error';
import { byController, controllerKey } from '#platform/runtime/cache';
import type { Context, Controller } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyOf } from '#platform/runtime/key';
import { controllerRef } from '#platform/runtime/ownership/claim-objects';
import { writeStatus } from '#platform/runtime/status';
import { type CronPlan, jobName, jobsToPrune, planCronJob } from './plan.ts';

const SCHEDULED = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** Events for runs that did not start. */
const SKIPPED: Readonly<Record<NonNullable<CronPlan['skipped']>, string>> = {
  MissSchedule: 'Missed scheduled time to start a job',
  JobAlreadyActive: 'Not starting job because prior execution is running and concurrency policy is Forbid',
  TooManyMissedTimes: 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
};

/** Starts Jobs on schedules. */
export function cronJobController(): Controller<CronJob> {
  const expectations = new Expectations();
  return {
    name: 'cron job',
    for: CRON_JOBS,
    owns: [JOBS],
    async reconcile(cronJob, context) {
      const { cache, clock } = context;
      if (!expectations.met(keyOf(cronJob), cache(JOBS))) return undefined;
      const own = [...cache(JOBS).by(byController, controllerKey(cronJob))];
      return await new CronRun(cronJob, own, context, expectations, clock.now()).run();
    },
    forget: (key) => expectations.forget(key),
  };
}

/** One reconciliation of one CronJob. */
class CronRun {
  readonly #cronJob: CronJob;
  #jobs: readonly Job[];
  readonly #context: Context;
  readonly #expectations: Expectations;
  readonly #now: number;

  constructor(cronJob: CronJob, jobs: readonly Job[], context: Context, expectations: Expectations, now: number) {
    this.#cronJob = cronJob;
    this.#jobs = jobs;
    this.#context = context;
    this.#expectations = expectations;
    this.#now = now;
  }

  async run() {
    const plan = this.#plan();
    for (const job of [...jobsToPrune(this.#cronJob, this.#jobs), ...plan.replace]) await this.#delete(job);
    if (plan.skipped !== undefined) this.#warn(plan.skipped, SKIPPED[plan.skipped]);
    if (plan.start !== undefined) await this.#start(plan.start);
    await this.#report(plan.start);
    return plan.next === undefined ? undefined : { requeueAfterMs: Math.max(1, plan.next - this.#now) };
  }

  #plan(): CronPlan {
    try {
      return planCronJob(this.#cronJob, this.#jobs, this.#now);
    } catch (error) {
      if (!(error instanceof ParseError) && !(error instanceof RangeError)) throw error;
      this.#warn('InvalidSchedule', `invalid schedule ${this.#cronJob.spec.schedule}: ${error.message}`);
      return { replace: [] };
    }
  }

  async #start(scheduled: number): Promise<void> {
    const { client, events } = this.#context;
    try {
      const job = await client.create(JOBS, jobOf(this.#cronJob, scheduled));
      this.#expectations.wrote(keyOf(this.#cronJob), job);
      this.#jobs = [...this.#jobs, job];
      events.event(this.#cronJob, 'Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`);
    } catch (error) {
      if (isAlreadyExists(error) || isNamespaceTerminating(error)) return;
      this.#warn('FailedCreate', `Error creating job: ${(error as Error).message}`);
      throw error;
    }
  }

  async #delete(job: Job): Promise<void> {
    const { client, events } = this.#context;
    const { name = '', namespace = '', uid = '' } = job.metadata;
    const options = { namespace, preconditions: { uid }, propagationPolicy: 'Background' as const };
    const left = await ignoreNotFound(client.delete(JOBS, name, options));
    if (left === undefined) this.#expectations.removed(keyOf(this.#cronJob), job);
    else this.#expectations.wrote(keyOf(this.#cronJob), left);
    this.#jobs = this.#jobs.filter((each) => each !== job);
    events.event(this.#cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`);
  }

  async #report(started: number | undefined): Promise<void> {
    const { status = {} } = this.#cronJob;
    const active = this.#jobs.filter((job) => finishedCondition(job) === undefined).map(referenceTo);
    const completions = this.#jobs.flatMap(({ status: ended }) => ended?.completionTime ?? []);
    const lastSuccessfulTime = [...completions, status.lastSuccessfulTime ?? ''].sort().at(-1) || undefined;
    const lastScheduleTime = started === undefined ? status.lastScheduleTime : timestamp(started);
    await writeStatus(this.#context.client, CRON_JOBS, this.#cronJob, {
      ...(active.length === 0 ? {} : { active }),
      ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
      ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
    });
  }

  #warn(reason: string, message: string): void {
    this.#context.events.event(this.#cronJob, 'Warning', reason, message);
  }
}

function jobOf(cronJob: CronJob, scheduled: number): NewObject<Job> {
  const { metadata = {}, spec } = cronJob.spec.jobTemplate;
  return {
    metadata: {
      name: jobName(cronJob, scheduled),
      namespace: cronJob.metadata.namespace ?? '',
      ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: { ...metadata.annotations, [SCHEDULED]: timestamp(scheduled) },
      ownerReferences: [controllerRef(CRON_JOBS, cronJob)],
    },
    spec,
  };
}

function referenceTo({ metadata }: Job) {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
  return { apiVersion: 'batch/v1', kind: 'Job', name, namespace, uid, resourceVersion };
}
