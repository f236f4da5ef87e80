import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { CRON_JOBS, type CronJob, JOBS, type Job, type JobSpec } from '#platform/kube/kinds/batch';
import { type Cluster, startCluster } from '#testing/cluster';
import { runController } from '#testing/controller-deps';
import { cronJobController } from './controller.ts';
import { jobsToPrune, planCronJob } from './plan.ts';

const at = (time: string) => Date.parse(`2030-01-01T${time}Z`);
const jobTemplate = {
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.example.com/sum:1' }] } },
  } as unknown as JobSpec,
};
const cronJobOf = (spec: Partial<CronJob['spec']> = {}, status?: CronJob['status']): CronJob => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'sum', namespace: 'default', creationTimestamp: '2030-01-01T10:00:00Z' },
  spec: { schedule: '*/10 * * * *', jobTemplate, ...spec },
  ...(status === undefined ? {} : { status }),
});
const jobOf = (name: string, ended?: 'Complete' | 'Failed', startTime = '2030-01-01T09:00:00Z'): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: jobTemplate.spec,
  status: { startTime, ...(ended === undefined ? {} : { conditions: [{ type: ended, status: 'True' }] }) },
});

describe('the next run of a CronJob', () => {
  it.each<[string, CronJob, Job[], string, ReturnType<typeof planCronJob>]>([
    ['is in the future', cronJobOf(), [], '10:05:00', { replace: [], next: at('10:10:00') }],
    ['starts', cronJobOf(), [], '10:10:01', { start: at('10:10:00'), replace: [], next: at('10:20:00') }],
    [
      'is the latest missed one',
      cronJobOf(),
      [],
      '10:45:00',
      { start: at('10:40:00'), replace: [], next: at('10:50:00') },
    ],
    [
      'is computed from the last one',
      cronJobOf({}, { lastScheduleTime: '2030-01-01T10:40:00Z' }),
      [],
      '10:45:00',
      { replace: [], next: at('10:50:00') },
    ],
    [
      'is skipped while another one runs, if concurrency is forbidden',
      cronJobOf({ concurrencyPolicy: 'Forbid' }),
      [jobOf('a')],
      '10:10:01',
      { replace: [], skipped: 'JobAlreadyActive', next: at('10:20:00') },
    ],
    [
      'replaces another one, if configured',
      cronJobOf({ concurrencyPolicy: 'Replace' }),
      [jobOf('a'), jobOf('b', 'Complete')],
      '10:10:01',
      { start: at('10:10:00'), replace: [jobOf('a')], next: at('10:20:00') },
    ],
    [
      'is skipped after the starting deadline',
      cronJobOf({ startingDeadlineSeconds: 60 }),
      [],
      '10:12:00',
      { replace: [], next: at('10:20:00') },
    ],
    [
      'starts within the starting deadline',
      cronJobOf({ startingDeadlineSeconds: 60 }),
      [],
      '10:10:30',
      { start: at('10:10:00'), replace: [], next: at('10:20:00') },
    ],
    ['does not start while the CronJob is suspended', cronJobOf({ suspend: true }), [], '10:10:01', { replace: [] }],
    [
      'starts after too many missed ones, which are reported',
      cronJobOf({ schedule: '* * * * *' }),
      [],
      '23:59:30',
      { start: at('23:59:00'), replace: [], skipped: 'TooManyMissedTimes', next: at('23:59:00') + 60_000 },
    ],
  ])('%s', (_what, cronJob, jobs, now, plan) => {
    expect(planCronJob(cronJob, jobs, at(now))).toEqual(plan);
  });

  it('leaves the newest finished Jobs', () => {
    const jobs = ['a', 'b', 'c', 'd'].map((name, hour) => jobOf(name, 'Complete', `2030-01-01T0${hour}:00:00Z`));
    const failed = ['x', 'y'].map((name, hour) => jobOf(name, 'Failed', `2030-01-01T0${hour}:00:00Z`));
    const pruned = jobsToPrune(cronJobOf(), [...jobs, ...failed, jobOf('runs')]);
    expect(pruned.map(({ metadata }) => metadata.name)).toEqual(['a', 'x']);
  });
});

describe('a CronJob in a cluster', () => {
  let cluster: Cluster;
  let admin: Client;
  beforeEach(async () => {
    cluster = await startCluster();
    ({ admin } = cluster);
    runController(cluster, 'cronjob-controller', cronJobController());
  });
  afterEach(() => cluster.stop());
  const namespace = 'default';

  it('creates a Job for each run, and updates its status', async () => {
    await admin.create(CRON_JOBS, {
      metadata: { name: 'sum', namespace },
      spec: { schedule: '* * * * *', jobTemplate },
    });
    await cluster.settle();
    await cluster.clock.advance(61_000);
    await cluster.until(async () => (await admin.list(JOBS, { namespace })).items.length === 1);
    const [job] = (await admin.list(JOBS, { namespace })).items;
    expect(job?.metadata.ownerReferences).toMatchObject([{ kind: 'CronJob', name: 'sum', controller: true }]);
    const status = async () => (await admin.get(CRON_JOBS, 'sum', { namespace })).status;
    await cluster.until(async () => (await status())?.active?.[0]?.name === job?.metadata.name);
    expect((await status())?.lastScheduleTime).toBe(
      job?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'],
    );
    await cluster.clock.advance(60_000);
    await cluster.until(async () => (await admin.list(JOBS, { namespace })).items.length === 2);
  });
});
