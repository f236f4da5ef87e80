import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Job, JobSpec, JobStatus } from '#platform/kube/kinds/batch';
import type { Pod } from '#platform/kube/kinds/pod';
import { FailureBackOff } from './failure-back-off.ts';
import { matchedRule } from './failure-policy.ts';
import { formatIndexes, parseIndexes } from './index-set.ts';
import { jobPod } from './job-pod.ts';
import { planJob } from './plan.ts';
import { jobStatus } from './status.ts';
import { podsToRelease, tallyPods } from './tally.ts';
import { verdictOf } from './verdict.ts';

const START = '2030-01-01T12:00:00Z';
const NOW = Date.parse(START) + 60_000;
const jobOf = (spec: Partial<JobSpec> = {}, status: JobStatus = { startTime: START }): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'sum', namespace: 'default', uid: 'sum' },
  spec: {
    completions: 3,
    parallelism: 2,
    backoffLimit: 2,
    selector: { matchLabels: { job: 'sum' } },
    template: { metadata: { labels: { job: 'sum' } }, spec: { containers: [{ name: 'main' }] } },
    ...spec,
  },
  status,
});
const indexed: Partial<JobSpec> = { completionMode: 'Indexed' };
const plan = (job: Job, pods: Pod[]) => planJob(job, tallyPods(job, pods), pods, NOW);

type Looks = 'running' | 'succeeded' | 'failed' | 'leaving';
interface More {
  readonly index?: number;
  readonly failures?: number;
  readonly tracked?: boolean;
  readonly exitCode?: number;
}
const podOf = (name: string, looks: Looks, { index, failures = 0, tracked = true, exitCode = 1 }: More = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    uid: name,
    namespace: 'default',
    ...(tracked ? { finalizers: ['batch.kubernetes.io/job-tracking'] } : {}),
    ...(looks === 'leaving' ? { deletionTimestamp: START } : {}),
    ...(index === undefined
      ? {}
      : {
          annotations: {
            'batch.kubernetes.io/job-completion-index': `${index}`,
            'batch.kubernetes.io/job-index-failure-count': `${failures}`,
          },
        }),
  },
  spec: { containers: [{ name: 'main' }] },
  status: {
    phase: looks === 'succeeded' ? 'Succeeded' : looks === 'failed' ? 'Failed' : 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: START }],
    ...(looks === 'failed'
      ? { containerStatuses: [{ name: 'main', state: { terminated: { exitCode } } }] as never }
      : {}),
  },
});

describe('indexes', () => {
  it.each<[string, number[]]>([
    ['', []],
    ['3', [3]],
    ['1,2', [1, 2]],
    ['0-2,4', [0, 1, 2, 4]],
  ])('are formatted as %j', (text, indexes) => {
    expect(formatIndexes(new Set(indexes))).toBe(text);
    expect([...parseIndexes(text, 10)]).toEqual(indexes);
  });

  it('are parsed as they were formatted', () => {
    const property = fc.property(fc.uniqueArray(fc.nat(40)), (indexes) => {
      expect(parseIndexes(formatIndexes(new Set(indexes)), 41)).toEqual(new Set(indexes.toSorted((a, b) => a - b)));
    });
    fc.assert(property);
  });
});

describe('the pods of a Job', () => {
  it.each<[string, Job, Pod[], (number | undefined)[], string[]]>([
    ['are as many as the parallelism', jobOf(), [], [undefined, undefined], []],
    [
      'are no more than the remaining completions',
      jobOf(),
      [podOf('a', 'succeeded'), podOf('b', 'succeeded')],
      [undefined],
      [],
    ],
    ['are replaced if they failed', jobOf(), [podOf('a', 'failed'), podOf('b', 'running')], [undefined], []],
    [
      'are replaced while they are terminating',
      jobOf(),
      [podOf('a', 'leaving'), podOf('b', 'running')],
      [undefined],
      [],
    ],
    [
      'are replaced only after they have terminated, if configured',
      jobOf({ podReplacementPolicy: 'Failed' }),
      [podOf('a', 'leaving'), podOf('b', 'running')],
      [],
      [],
    ],
    [
      'are deleted if there are too many',
      jobOf({ parallelism: 1 }),
      [podOf('a', 'running'), podOf('b', 'running')],
      [],
      ['a'],
    ],
    [
      'are not created after the first success without completions',
      { ...jobOf(), spec: (({ completions: _none, ...rest }) => rest)(jobOf().spec) },
      [podOf('a', 'succeeded'), podOf('b', 'running')],
      [],
      [],
    ],
    [
      'get the lowest free indexes',
      jobOf({ ...indexed, completions: 5, parallelism: 3 }),
      [podOf('a', 'running', { index: 1 }), podOf('b', 'succeeded', { index: 0 })],
      [2, 3],
      [],
    ],
    [
      'skip failed indexes',
      jobOf({ ...indexed, completions: 3, parallelism: 3, backoffLimitPerIndex: 1 }),
      [podOf('a', 'failed', { index: 0, failures: 1 })],
      [1, 2],
      [],
    ],
    [
      'are deleted if two have the same index',
      jobOf({ ...indexed, parallelism: 2 }),
      [podOf('a', 'running', { index: 0 }), podOf('b', 'running', { index: 0 })],
      [1],
      ['b'],
    ],
  ])('%s', (_what, job, pods, create, remove) => {
    const found = plan(job, pods);
    expect(found.create.map(({ index }) => index)).toEqual(create);
    expect(found.delete.map(({ metadata }) => metadata.name)).toEqual(remove);
  });

  it('have their index, and the number of its previous failures', () => {
    const job = jobOf({ ...indexed, backoffLimitPerIndex: 3 });
    expect(plan(job, [podOf('a', 'failed', { index: 0, failures: 1 })]).create).toEqual([
      { index: 0, failures: { counted: 2, ignored: 0 } },
      { index: 1, failures: { counted: 0, ignored: 0 } },
    ]);
    expect(jobPod(job, 4, { counted: 2, ignored: 1 })).toMatchObject({
      metadata: {
        generateName: 'sum-4-',
        finalizers: ['batch.kubernetes.io/job-tracking'],
        labels: { job: 'sum', 'batch.kubernetes.io/job-completion-index': '4' },
        annotations: {
          'batch.kubernetes.io/job-completion-index': '4',
          'batch.kubernetes.io/job-index-failure-count': '2',
          'batch.kubernetes.io/job-index-ignored-failure-count': '1',
        },
      },
      spec: { hostname: 'sum-4', containers: [{ env: [{ name: 'JOB_COMPLETION_INDEX' }] }] },
    });
  });
});

describe('a Job that limits the retries of each index', () => {
  const job = jobOf({ ...indexed, completions: 2, backoffLimit: 1_000, backoffLimitPerIndex: 3 });
  const failed = podOf('a', 'failed', { index: 0, failures: 1 });
  const ended = (at: string): Pod => ({
    ...failed,
    status: { ...failed.status, containerStatuses: [{ state: { terminated: { finishedAt: at } } }] as never },
  });

  it.each<[string, Pod[], number[], number | undefined]>([
    ['delays the failed index, and starts the other', [ended('2030-01-01T12:00:50Z')], [1], 10_000],
    ['retries the index after its delay', [ended('2030-01-01T12:00:40Z')], [0, 1], undefined],
  ])('%s', (_what, pods, create, againMs) => {
    const found = plan(job, pods);
    expect(found.create.map(({ index }) => index)).toEqual(create);
    expect(found.againMs).toBe(againMs);
  });

  it('keeps the finalizer of the last failed pod until its index has a successor', () => {
    const waiting = tallyPods(job, [failed]);
    expect([waiting.failed, waiting.uncounted.failed, podsToRelease(job, [failed], waiting)]).toEqual([1, [], []]);
    const pods = [failed, podOf('b', 'running', { index: 0, failures: 2 })];
    const followed = tallyPods(job, pods);
    expect([followed.uncounted.failed, podsToRelease(job, pods, followed)]).toEqual([['a'], [failed]]);
    expect(tallyPods(job, [failed], true).uncounted.failed).toEqual(['a']);
  });

  it('does not count failures that its policy ignores', () => {
    const rules = [{ action: 'Ignore' as const, onExitCodes: { operator: 'In' as const, values: [1] } }];
    const lenient = jobOf({ ...job.spec, podFailurePolicy: { rules } });
    expect(plan(lenient, [failed]).create[0]).toEqual({ index: 0, failures: { counted: 1, ignored: 1 } });
  });
});

describe('the result of a Job', () => {
  const ignore = { action: 'Ignore' as const, onPodConditions: [{ type: 'DisruptionTarget' }] };
  const fatal = { action: 'FailJob' as const, onExitCodes: { operator: 'In' as const, values: [42] } };
  const failed = (...names: string[]) => names.map((name) => podOf(name, 'failed'));
  it.each<[string, Job, Pod[], string | undefined]>([
    ['is undecided while completions are missing', jobOf(), [podOf('a', 'succeeded')], undefined],
    [
      'is success with all completions',
      jobOf(),
      ['a', 'b', 'c'].map((name) => podOf(name, 'succeeded')),
      'CompletionsReached',
    ],
    ['is undecided at the back-off limit', jobOf(), failed('a', 'b'), undefined],
    ['is failure beyond the back-off limit', jobOf(), failed('a', 'b', 'c'), 'BackoffLimitExceeded'],
    ['is failure after the deadline', jobOf({ activeDeadlineSeconds: 60 }), [], 'DeadlineExceeded'],
    ['is undecided before the deadline', jobOf({ activeDeadlineSeconds: 61 }), [], undefined],
    [
      'is failure by the failure policy',
      jobOf({ podFailurePolicy: { rules: [ignore, fatal] } }),
      [podOf('a', 'failed', { exitCode: 42 })],
      'PodFailurePolicy',
    ],
    [
      'is undecided if no rule of the policy matches',
      jobOf({ podFailurePolicy: { rules: [ignore, fatal] } }),
      [podOf('a', 'failed', { exitCode: 1 })],
      undefined,
    ],
    [
      'is failure if an index exceeded its back-off limit',
      jobOf({ ...indexed, completions: 2, backoffLimit: 100, backoffLimitPerIndex: 0 }),
      [podOf('a', 'failed', { index: 0 }), podOf('b', 'succeeded', { index: 1 })],
      'FailedIndexes',
    ],
    [
      'is failure if too many indexes failed',
      jobOf({ ...indexed, backoffLimit: 100, backoffLimitPerIndex: 0, maxFailedIndexes: 1 }),
      [podOf('a', 'failed', { index: 0 }), podOf('b', 'failed', { index: 1 })],
      'MaxFailedIndexesExceeded',
    ],
    [
      'is success by the success policy',
      jobOf({ ...indexed, successPolicy: { rules: [{ succeededIndexes: '0', succeededCount: 1 }] } }),
      [podOf('a', 'succeeded', { index: 0 })],
      'SuccessPolicy',
    ],
    [
      'does not change after it was announced',
      jobOf(
        {},
        { startTime: START, conditions: [{ type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded' }] },
      ),
      ['a', 'b', 'c'].map((name) => podOf(name, 'succeeded')),
      'DeadlineExceeded',
    ],
  ])('%s', (_what, job, pods, reason) => {
    expect(verdictOf(job, tallyPods(job, pods), NOW)?.reason).toBe(reason);
  });

  it('names the container and the rule', () => {
    const job = jobOf({ podFailurePolicy: { rules: [ignore, fatal] } });
    expect(matchedRule(job, podOf('a', 'failed', { exitCode: 42 }))?.message).toBe(
      'Container main for pod default/a failed with exit code 42 matching FailJob rule at index 1',
    );
  });
});

it('counts every finished pod exactly once, wherever the controller is interrupted', () => {
  const step = fc.constantFrom('finish', 'fail', 'status', 'release', 'remove');
  const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    let job = jobOf({ completions: 100, parallelism: 100, backoffLimit: 1_000 });
    let pods: Pod[] = [];
    const made = { succeeded: 0, failed: 0 };
    const status = () => {
      const tally = tallyPods(job, pods);
      const facts = { tally, verdict: undefined, active: tally.active.length, terminating: 0 };
      job = { ...job, status: jobStatus(job, facts, START) };
    };
    const release = () => {
      // The pods are released after the status was written, and only those that it names.
      const released = podsToRelease(job, pods, { ...tallyPods(job, pods), uncounted: namedIn(job) });
      pods = pods.map((pod) =>
        released.includes(pod)
          ? podOf(pod.metadata.name ?? '', pod.status?.phase === 'Failed' ? 'failed' : 'succeeded', { tracked: false })
          : pod,
      );
    };
    for (const each of steps) {
      if (each === 'finish') pods.push(podOf(`s${++made.succeeded}`, 'succeeded'));
      if (each === 'fail') pods.push(podOf(`f${++made.failed}`, 'failed'));
      if (each === 'status') status();
      if (each === 'release') release();
      if (each === 'remove') pods = pods.filter(({ metadata }) => metadata.finalizers !== undefined);
    }
    status();
    release();
    status();
    expect({ succeeded: job.status?.succeeded ?? 0, failed: job.status?.failed ?? 0 }).toEqual(made);
  });
  fc.assert(property);
});

const namedIn = ({ status }: Job) => ({
  succeeded: status?.uncountedTerminatedPods?.succeeded ?? [],
  failed: status?.uncountedTerminatedPods?.failed ?? [],
});

it('delays pods longer after each failure, and not at all after a success', () => {
  const backOff = new FailureBackOff();
  backOff.note('j', { failed: 1, succeeded: 0 }, 0);
  expect(backOff.waitMs('j', 4_000)).toBe(6_000);
  backOff.note('j', { failed: 1, succeeded: 0 }, 10_000);
  expect(backOff.waitMs('j', 10_000)).toBe(20_000);
  backOff.note('j', { failed: 20, succeeded: 0 }, 10_000);
  expect(backOff.waitMs('j', 10_000)).toBe(600_000);
  backOff.note('j', { failed: 0, succeeded: 1 }, 10_000);
  expect(backOff.waitMs('j', 10_000)).toBe(0);
});
