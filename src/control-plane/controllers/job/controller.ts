import { timestamp } from '#platform/base/timestamp';
import { finishedCondition, JOBS, type Job } from '#platform/kube/kinds/batch';
import { conditionOf } from '#platform/kube/kinds/condition';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { isNamespaceTerminating } from '#platform/kube/kube-error';
import { labelSelectorOf } from '#platform/kube/selectors/label-selector';
import { byController, controllerKey, uncontrolledIn } from '#platform/runtime/cache';
import type { Context, Controller } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyOf } from '#platform/runtime/key';
import { claimObjects } from '#platform/runtime/ownership/claim-objects';
import { writeStatus } from '#platform/runtime/status';
import { deleteOwnedPod } from '../replicas/delete-owned-pod.ts';
import { FailureBackOff } from './failure-back-off.ts';
import { type IndexFailures, jobPod } from './job-pod.ts';
import { type JobPlan, planJob } from './plan.ts';
import { releasePod } from './release-pod.ts';
import { jobStatus } from './status.ts';
import { podsToRelease, type Tally, tallyPods } from './tally.ts';
import { deadlineMs, type Verdict, verdictOf } from './verdict.ts';

/** Name by which a Job leaves its pods to this controller. */
const OWN_NAME = 'kubernetes.io/job-controller';
/** Maximum number of pods created in one reconciliation. */
const BURST = 500;

interface JobState {
  readonly expectations: Expectations;
  readonly backOff: FailureBackOff;
}

/** Runs the pods of Jobs until enough of them have succeeded. */
export function jobController(): Controller<Job> {
  const state: JobState = { expectations: new Expectations(), backOff: new FailureBackOff() };
  return {
    name: 'job',
    for: JOBS,
    owns: [PODS],
    concurrency: 4,
    async reconcile(job, context) {
      const { cache, client } = context;
      if ((job.spec.managedBy ?? OWN_NAME) !== OWN_NAME) return undefined;
      if (!state.expectations.met(keyOf(job), cache(PODS))) return undefined;
      const known = cache(PODS);
      const near = [
        ...known.by(byController, controllerKey(job)),
        ...known.by(uncontrolledIn, job.metadata.namespace ?? ''),
      ];
      const selector = labelSelectorOf(job.spec.selector);
      const claiming = { client, ownerType: JOBS, owner: job, type: PODS, selector };
      const own = await claimObjects({ ...claiming, expectations: state.expectations }, near);
      return await new JobRun(job, own, context, state).run();
    },
    forget(key) {
      state.expectations.forget(key);
      state.backOff.forget(key);
    },
  };
}

/** One reconciliation of one Job. */
class JobRun {
  readonly #job: Job;
  readonly #pods: readonly Pod[];
  readonly #context: Context;
  readonly #state: JobState;
  readonly #now: number;
  #created = 0;
  #deleted = 0;
  #failure: unknown;

  constructor(job: Job, pods: readonly Pod[], context: Context, state: JobState) {
    this.#job = job;
    this.#pods = pods;
    this.#context = context;
    this.#state = state;
    this.#now = context.clock.now();
  }

  async run() {
    const key = keyOf(this.#job);
    const isOver = finishedCondition(this.#job) !== undefined || this.#job.metadata.deletionTimestamp !== undefined;
    const first = tallyPods(this.#job, this.#pods, isOver);
    if (isOver) {
      await this.#release(first);
      return undefined;
    }
    this.#noteFailures(first);
    const verdict = verdictOf(this.#job, first, this.#now);
    const tally = verdict === undefined ? first : tallyPods(this.#job, this.#pods, true);
    const wait = this.#state.backOff.waitMs(key, this.#now);
    const plan = this.#plan(tally, verdict);
    await this.#act(plan, wait);
    await this.#report(tally, verdict);
    await this.#release(tally);
    if (this.#failure !== undefined) throw this.#failure;
    const waits = [wait, plan.againMs ?? 0, deadlineMs(this.#job, this.#now) ?? 0].filter((ms) => ms > 0);
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
  }

  /** Records failures that delay the whole Job. If retries are limited by index, each index waits for itself. */
  #noteFailures({ newFailures, newSuccesses }: Tally): void {
    if (this.#job.spec.backoffLimitPerIndex !== undefined) return;
    const result = { failed: newFailures.length, succeeded: newSuccesses.length };
    this.#state.backOff.note(keyOf(this.#job), result, this.#now);
  }

  #plan(tally: Tally, verdict: Verdict | undefined): JobPlan {
    if (verdict !== undefined || this.#job.spec.suspend === true) return { create: [], delete: tally.active };
    return planJob(this.#job, tally, this.#pods, this.#now);
  }

  async #act(plan: JobPlan, wait: number): Promise<void> {
    for (const pod of plan.delete) await this.#delete(pod);
    if (wait > 0) return;
    // Batches grow, so that creations that fail are not tried hundreds of times.
    const wanted = plan.create.slice(0, BURST);
    for (let at = 0, batch = 1; at < wanted.length && this.#failure === undefined; at += batch, batch *= 2) {
      await Promise.all(wanted.slice(at, at + batch).map(({ index, failures }) => this.#create(index, failures)));
    }
  }

  async #create(index: number | undefined, failures: IndexFailures): Promise<void> {
    const { client, events } = this.#context;
    try {
      const pod = await client.create(PODS, jobPod(this.#job, index, failures));
      this.#state.expectations.wrote(keyOf(this.#job), pod);
      this.#created++;
      events.event(this.#job, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      events.event(this.#job, 'Warning', 'FailedCreate', `Error creating: ${(error as Error).message}`);
      this.#failure ??= error;
    }
  }

  async #delete(pod: Pod): Promise<void> {
    const { client, events } = this.#context;
    if (!(await deleteOwnedPod(client, pod, keyOf(this.#job), this.#state.expectations))) return;
    this.#deleted++;
    events.event(this.#job, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
  }

  async #report(tally: Tally, verdict: Verdict | undefined): Promise<void> {
    const active = tally.active.length + this.#created - this.#deleted;
    const facts = { tally, verdict, active, terminating: tally.terminating + this.#deleted };
    const status = jobStatus(this.#job, facts, timestamp(this.#now));
    const written = await writeStatus(this.#context.client, JOBS, this.#job, status);
    this.#announce(written);
  }

  #announce(written: Job): void {
    const { events } = this.#context;
    const finished = finishedCondition(written);
    if (finished?.type === 'Complete') events.event(written, 'Normal', 'Completed', 'Job completed');
    if (finished?.type === 'Failed') events.event(written, 'Warning', finished.reason ?? '', finished.message ?? '');
    const [before, after] = [this.#job, written].map(
      ({ status }) => conditionOf(status?.conditions, 'Suspended')?.status,
    );
    if (after === 'True' && before !== 'True') events.event(written, 'Normal', 'Suspended', 'Job suspended');
    if (after === 'False' && before === 'True') events.event(written, 'Normal', 'Resumed', 'Job resumed');
  }

  async #release(tally: Tally): Promise<void> {
    for (const pod of podsToRelease(this.#job, this.#pods, tally)) {
      const left = await releasePod(this.#context.client, pod);
      // A pod whose grace period has ended is deleted with its last finalizer.
      const { finalizers = [], deletionGracePeriodSeconds } = left?.metadata ?? {};
      const isGone = left === undefined || (finalizers.length === 0 && deletionGracePeriodSeconds === 0);
      if (isGone) this.#state.expectations.removed(keyOf(this.#job), pod);
      else this.#state.expectations.wrote(keyOf(this.#job), left);
    }
  }
}
