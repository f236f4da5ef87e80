import { afterEach, beforeEach, expect, it } from 'vitest';
import { timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { JOBS, type JobSpec } from '#platform/kube/kinds/batch';
import { PODS } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import { type Cluster, startCluster } from '#testing/cluster';
import { runController } from '#testing/controller-deps';
import { jobController } from './controller.ts';
import { orphanedJobPods } from './orphaned-pods.ts';
import { ttlAfterFinished } from './ttl.ts';

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
  runController(cluster, 'job-controller', jobController());
  runController(cluster, 'job-controller', orphanedJobPods);
  runController(cluster, 'ttl-after-finished-controller', ttlAfterFinished);
});
afterEach(() => cluster.stop());

const namespace = 'default';
const BATCH = 'batch.kubernetes.io/job';
const createJob = (spec: Partial<JobSpec> = {}) =>
  admin.create(JOBS, {
    metadata: { name: 'sum', namespace },
    spec: {
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.example.com/sum:1' }] },
      },
      ...spec,
    },
  });
const job = () => admin.get(JOBS, 'sum', { namespace });
const pods = async () => (await admin.list(PODS, { namespace })).items;
const running = async () => (await pods()).filter(({ status }) => status?.phase === 'Pending');
const finish = async (phase: 'Succeeded' | 'Failed') => {
  const [pod] = await running();
  const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: timestamp(cluster.clock.now()) }];
  const body = { status: { phase, conditions } };
  await admin.patch(PODS, pod?.metadata.name ?? '', { type: 'merge', body }, { namespace, subresource: 'status' });
};
const finished = async () =>
  (await job()).status?.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');

it('runs its pods until enough have succeeded', async () => {
  await createJob({ completions: 3, parallelism: 2 });
  await cluster.until(async () => (await running()).length === 2);
  expect((await job()).status?.startTime).toBeDefined();
  await finish('Succeeded');
  await cluster.until(async () => (await pods()).length === 3);
  await finish('Succeeded');
  await finish('Succeeded');
  await cluster.until(async () => (await finished()) !== undefined);
  expect((await job()).status).toMatchObject({ succeeded: 3, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
  expect((await job()).status?.conditions?.map(({ type, reason }) => [type, reason])).toEqual([
    ['SuccessCriteriaMet', 'CompletionsReached'],
    ['Complete', 'CompletionsReached'],
  ]);
  expect((await pods()).flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
});

it('waits after a failure, and fails after too many', async () => {
  await createJob({ backoffLimit: 1 });
  await cluster.until(async () => (await running()).length === 1);
  await finish('Failed');
  await cluster.until(async () => (await job()).status?.failed === 1);
  await cluster.settle();
  expect(await running()).toEqual([]);
  await cluster.clock.advance(10_000);
  await cluster.until(async () => (await running()).length === 1);
  await finish('Failed');
  await cluster.until(async () => (await finished())?.reason === 'BackoffLimitExceeded');
  expect((await job()).status).toMatchObject({ failed: 2 });
});

it('delays each index by its own failures if retries are limited by index', async () => {
  await createJob({ completions: 2, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 1 });
  const indexes = async () =>
    (await running()).map(({ metadata }) => metadata.annotations?.[`${BATCH}-completion-index`]).join();
  await cluster.until(async () => (await indexes()) === '0,1');
  await finish('Failed');
  await cluster.clock.advance(5_000);
  await finish('Failed');
  await cluster.settle();
  expect(await indexes()).toBe('');
  await cluster.clock.advance(5_000);
  await cluster.until(async () => (await indexes()) === '0');
  expect((await running())[0]?.metadata.annotations).toMatchObject({ [`${BATCH}-index-failure-count`]: '1' });
  await cluster.clock.advance(5_000);
  await cluster.until(async () => (await indexes()) === '0,1');
  await finish('Failed');
  await finish('Succeeded');
  await cluster.until(async () => (await finished())?.reason === 'FailedIndexes');
  expect((await job()).status).toMatchObject({ failed: 3, succeeded: 1, failedIndexes: '0', completedIndexes: '1' });
  expect((await pods()).flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
});

it('deletes its pods while it is suspended, and starts again', async () => {
  const suspend = (value: boolean) =>
    admin.patch(JOBS, 'sum', { type: 'merge', body: { spec: { suspend: value } } }, { namespace });
  await createJob();
  await cluster.until(async () => (await running()).length === 1);
  await suspend(true);
  await cluster.until(async () => (await pods()).length === 0);
  await cluster.until(async () => (await job()).status?.conditions?.[0]?.reason === 'JobSuspended');
  expect((await job()).status?.startTime).toBeUndefined();
  await suspend(false);
  await cluster.until(async () => (await running()).length === 1);
  expect((await job()).status?.failed).toBeUndefined();
});

it('ends at its deadline, and is deleted after its time to live', async () => {
  await createJob({ activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 100 });
  await cluster.until(async () => (await running()).length === 1);
  await cluster.clock.advance(61_000);
  await cluster.until(async () => (await finished())?.reason === 'DeadlineExceeded');
  expect(await running()).toEqual([]);
  await cluster.clock.advance(101_000);
  await cluster.until(async () => {
    const left = await job().catch((error: unknown) =>
      isNotFound(error) ? undefined : Promise.reject(error as Error),
    );
    return left === undefined || left.metadata.deletionTimestamp !== undefined;
  });
});

it('removes its finalizer from the pods of a deleted Job', async () => {
  await createJob();
  await cluster.until(async () => (await running()).length === 1);
  const [pod] = await pods();
  await admin.delete(JOBS, 'sum', { namespace, propagationPolicy: 'Background' });
  await admin.delete(PODS, pod?.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
  await cluster.until(async () => (await pods()).length === 0);
});
