import type { Job } from '#platform/kube/kinds/batch';
import type { Pod } from '#platform/kube/kinds/pod';
import { podsToDelete } from '../replicas/pods-to-delete.ts';
import { failuresAfter, indexWaitMs } from './index-retry.ts';
import { type IndexFailures, indexOf, isIndexed } from './job-pod.ts';
import { hasFailed, type Tally } from './tally.ts';

/** Pods that a running Job creates and deletes. */
export interface JobPlan {
  readonly create: readonly { readonly index?: number; readonly failures: IndexFailures }[];
  readonly delete: readonly Pod[];
  /** Time until the next index may be tried again. Absent if none waits. */
  readonly againMs?: number;
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
  if (!isIndexed(job)) return { create: Array.from({ length: missing }, () => ({ failures: NONE })), delete: doomed };
  const free = freeIndexes(job, pods, staying, tally, missing);
  const waits = free.map((index) => indexWaitMs(tally.awaited.get(index), now)).filter((wait) => wait > 0);
  const due = free.filter((index) => indexWaitMs(tally.awaited.get(index), now) === 0);
  return {
    create: due.map((index) => ({ index, failures: failuresAfter(job, tally.awaited.get(index)) })),
    delete: doomed,
    ...(waits.length === 0 ? {} : { againMs: Math.min(...waits) }),
  };
}

const NONE: IndexFailures = { counted: 0, ignored: 0 };

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
  const free: number[] = [];
  for (let index = 0; index < (job.spec.completions ?? 0) && free.length < count; index++) {
    if (taken.has(index) || tally.completedIndexes.has(index) || tally.failedIndexes.has(index)) continue;
    free.push(index);
  }
  return free;
}
