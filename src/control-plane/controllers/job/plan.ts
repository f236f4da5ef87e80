import type { Job } from '#platform/kube/kinds/batch';
import type { Pod } from '#platform/kube/kinds/pod';
import { podsToDelete } from '../replicas/pods-to-delete.ts';
import { failuresBefore, indexOf, isIndexed } from './job-pod.ts';
import { hasFailed, type Tally } from './tally.ts';

/** Pods that a running Job creates and deletes. */
export interface JobPlan {
  readonly create: readonly { readonly index?: number; readonly failures: number }[];
  readonly delete: readonly Pod[];
}

/** Plans the pods of a Job that is neither finished nor suspended. */
export function planJob(job: Job, tally: Tally, pods: readonly Pod[], now: number): JobPlan {
  const { spec } = job;
  const { active } = tally;
  const doomed = surplusIndexes(job, active, tally);
  const staying = active.filter((pod) => !doomed.includes(pod));
  const wanted = wantedActive(job, tally);
  if (staying.length > wanted) {
    return { create: [], delete: [...doomed, ...podsToDelete(staying, staying.length - wanted, [], now)] };
  }
  const waiting = spec.podReplacementPolicy === 'Failed' ? tally.terminating : 0;
  const missing = Math.max(0, wanted - staying.length - waiting);
  const create = isIndexed(job)
    ? freeIndexes(job, pods, staying, tally, missing)
    : Array.from({ length: missing }, () => ({ failures: 0 }));
  return { create, delete: doomed };
}

/** Returns the number of pods that should be active. */
function wantedActive({ spec }: Job, { succeeded, active, failedIndexes }: Tally): number {
  const parallelism = spec.parallelism ?? 1;
  if (spec.completions === undefined) return succeeded > 0 ? Math.min(active.length, parallelism) : parallelism;
  return Math.max(0, Math.min(spec.completions - succeeded - failedIndexes.size, parallelism));
}

/** Returns active pods whose index another pod has, or that has been completed, or that is none of the Job's. */
function surplusIndexes(job: Job, active: readonly Pod[], { completedIndexes, failedIndexes }: Tally): Pod[] {
  if (!isIndexed(job)) return [];
  const taken = new Set<number>();
  return active.filter((pod) => {
    const index = indexOf(pod);
    const isUseless =
      index === undefined ||
      index >= (job.spec.completions ?? 0) ||
      completedIndexes.has(index) ||
      failedIndexes.has(index) ||
      taken.has(index);
    if (index !== undefined) taken.add(index);
    return isUseless;
  });
}

function freeIndexes(job: Job, pods: readonly Pod[], active: readonly Pod[], tally: Tally, count: number) {
  const taken = new Set(active.map(indexOf));
  if (job.spec.podReplacementPolicy === 'Failed') {
    for (const pod of pods)
      if (pod.metadata.deletionTimestamp !== undefined && !hasFailed(job, pod)) taken.add(indexOf(pod));
  }
  const failures = new Map<number, number>();
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index === undefined || !hasFailed(job, pod)) continue;
    failures.set(index, Math.max(failures.get(index) ?? 0, failuresBefore(pod) + 1));
  }
  const free: { readonly index: number; readonly failures: number }[] = [];
  for (let index = 0; index < (job.spec.completions ?? 0) && free.length < count; index++) {
    if (taken.has(index) || tally.completedIndexes.has(index) || tally.failedIndexes.has(index)) continue;
    free.push({ index, failures: failures.get(index) ?? 0 });
  }
  return free;
}
