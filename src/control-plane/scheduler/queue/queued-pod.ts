import type { FilterName } from '../framework/plugin-name.ts';
import type { PodInfo } from '../pod/pod-info.ts';
import type { Heaped } from './heap.ts';

/** Where a pod waits: to be tried, for its back-off, after an error, for a change of the cluster, or for its gates. */
export type Where = 'active' | 'backoff' | 'error-backoff' | 'unschedulable' | 'gated' | 'trying' | 'gone';

/** A pod that has no node yet, and how its tries went. */
export interface QueuedPod extends Heaped {
  info: PodInfo;
  where: Where;
  /** When it came to the place where it waits, of the monotonic clock. */
  since: number;
  /** Breaks ties: who came first. */
  order: number;
  attempts: number;
  /** Tries in a row that found no node. */
  unschedulable: number;
  /** Tries in a row that failed for another reason. */
  errors: number;
  /** When it may be tried again. */
  due: number;
  /** The plugins that refused it in its last try. */
  unschedulablePlugins: ReadonlySet<FilterName>;
  /** What was written as its condition. */
  reported: string;
}

/** Higher priority first, then who has waited longer. */
export function comesBefore(a: QueuedPod, b: QueuedPod): boolean {
  if (a.info.priority !== b.info.priority) return a.info.priority > b.info.priority;
  return a.since < b.since || (a.since === b.since && a.order < b.order);
}

export function isDueBefore(a: QueuedPod, b: QueuedPod): boolean {
  return a.due < b.due || (a.due === b.due && comesBefore(a, b));
}
