import type { Pod } from '#platform/kube/kinds/pod';
import type { StatefulSet } from '#platform/kube/kinds/workloads';
import type { KubeObject } from '#platform/kube/kube-object';

export const podName = ({ metadata }: KubeObject, ordinal: number): string => `${metadata.name}-${ordinal}`;

/** Returns the ordinal in the name of a pod, undefined if it is not named by its set. */
export function ordinalOf({ metadata }: KubeObject, pod: Pod): number | undefined {
  const match = /^(.*)-(0|[1-9][0-9]*)$/.exec(pod.metadata.name ?? '');
  return match?.[1] === metadata.name ? Number(match?.[2]) : undefined;
}

/** Range of the ordinals that a set has pods for; `end` is not one of them. */
export function ordinalsOf({ spec }: StatefulSet): { readonly start: number; readonly end: number } {
  const start = spec.ordinals?.start ?? 0;
  return { start, end: start + (spec.replicas ?? 1) };
}
