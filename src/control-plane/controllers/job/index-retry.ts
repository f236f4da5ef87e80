import type { Job } from '#platform/kube/kinds/batch';
import { conditionOf } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';
import { retryDelayMs } from './failure-back-off.ts';
import { matchedRule } from './failure-policy.ts';
import { type IndexFailures, indexFailures, indexOf } from './job-pod.ts';

/** Failed pods by their index, one for each index that still waits for a successor. */
export type LastFailures = ReadonlyMap<number, Pod>;

/**
 * Selects the last failed pod of each open index of a Job that limits the retries of each. It keeps its finalizer, and
 * is not counted, until its successor knows how often the index failed.
 */
export function lastFailures(failed: readonly Pod[], isOpen: (index: number) => boolean): LastFailures {
  const found = new Map<number, Pod>();
  for (const pod of failed) {
    const index = indexOf(pod);
    if (index === undefined || !isOpen(index)) continue;
    const known = found.get(index);
    const isLater = known === undefined || (total(known) <= total(pod) && finishedAt(known) <= finishedAt(pod));
    if (isLater) found.set(index, pod);
  }
  return found;
}

const total = (pod: Pod): number => {
  const { counted, ignored } = indexFailures(pod);
  return counted + ignored;
};

/** Returns the failures of an index that the successor of a failed pod starts with. */
export function failuresAfter(job: Job, pod: Pod | undefined): IndexFailures {
  if (pod === undefined) return { counted: 0, ignored: 0 };
  const { counted, ignored } = indexFailures(pod);
  return matchedRule(job, pod)?.action === 'Ignore'
    ? { counted, ignored: ignored + 1 }
    : { counted: counted + 1, ignored };
}

/** Returns the time until a failed pod of an index may be replaced. */
export function indexWaitMs(pod: Pod | undefined, now: number): number {
  if (pod === undefined) return 0;
  return Math.max(0, finishedAt(pod) + retryDelayMs(total(pod) + 1) - now);
}

interface ContainerEnd {
  readonly state?: { readonly terminated?: { readonly finishedAt?: string } };
}

/** Returns when a pod finished: with its last container, else when it stopped being ready or was deleted. */
function finishedAt({ metadata, status }: Pod): number {
  const ends = ((status?.containerStatuses ?? []) as readonly ContainerEnd[]).map(({ state }) =>
    Date.parse(state?.terminated?.finishedAt ?? ''),
  );
  if (ends.length > 0 && ends.every((end) => !Number.isNaN(end))) return Math.max(...ends);
  const ready = conditionOf(status?.conditions, 'Ready');
  const since = Date.parse(ready?.lastTransitionTime ?? '');
  if (ready?.status === 'False' && !Number.isNaN(since)) return since;
  if (metadata.deletionTimestamp !== undefined) {
    return Date.parse(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  }
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}
