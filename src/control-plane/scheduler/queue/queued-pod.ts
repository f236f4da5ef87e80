import type { FilterName } from '../framework/plugin-name.ts';
import type { PodInfo } from '../pod/pod-info.ts';
import type { Heaped } from './heap.ts';

/** Queue that a pod is in: ready, in back-off, after an error, waiting for a cluster change, or gated. */
export type Where = 'active' | 'backoff' | 'error-backoff' | 'unschedulable' | 'gated' | 'trying' | 'gone';

/** A pod without a node, with the history of its attempts. */
export interface QueuedPod extends Heaped {
  info: PodInfo;
  where: Where;
  /** Monotonic time at which it entered its current queue. */
  since: number;
  /** Sequence number that breaks ties. */
  order: number;
  attempts: number;
  /** Consecutive attempts that found no node. */
  unschedulable: number;
  /** Consecutive attempts that failed for another reason. */
  errors: number;
  /** Time from which it may be tried again. */
  due: number;
  /** Plugins that rejected it in its last attempt. */
  unschedulablePlugins: ReadonlySet<FilterName>;
  /** Condition that was last written. */
  reported: string;
}

/** Orders by higher priority, then by longer waiting time. */
export function comesBefore(a: QueuedPod, b: QueuedPod): boolean {
  if (a.info.priority !== b.info.priority) return a.info.priority > b.info.priority;
  return a.since < b.since || (a.since === b.since && a.order < b.order);
}

export function isDueBefore(a: QueuedPod, b: QueuedPod): boolean {
  return a.due < b.due || (a.due === b.due && comesBefore(a, b));
}
