import { finishedCondition, JOBS, type Job } from '#platform/kube/kinds/batch';
import { ignoreNotFound } from '#platform/kube/kube-error';
import type { Controller } from '#platform/runtime/controller';

/** Deletes finished Jobs, with their pods, after the time that they specify. */
export const ttlAfterFinished: Controller<Job> = {
  name: 'ttl after finished',
  for: JOBS,
  async reconcile(job, { client, clock }) {
    const { name = '', namespace = '', uid = '', deletionTimestamp } = job.metadata;
    const { ttlSecondsAfterFinished: ttl } = job.spec;
    const finished = finishedCondition(job);
    if (ttl === undefined || finished === undefined || deletionTimestamp !== undefined) return undefined;
    const left = Date.parse(finished.lastTransitionTime ?? '') + ttl * 1000 - clock.now();
    if (left > 0) return { requeueAfterMs: left };
    const options = { namespace, preconditions: { uid }, propagationPolicy: 'Foreground' as const };
    await ignoreNotFound(client.delete(JOBS, name, options));
    return undefined;
  },
};
