import { MIGRATION_LABEL } from '../../api/launcher.ts';
import type { Vmi } from '../../kube/kinds/machines.ts';
import type { Pod } from '../../kube/kinds/pod.ts';

export const isFinished = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed';
export const isBound = ({ spec }: Pod) => (spec.nodeName ?? '') !== '';

/**
 * The pod that the machine of an instance runs in, or is to run in; not the one that a migration has made for where it
 * may go, before it is there.
 */
export function currentPod({ status }: Vmi, pods: readonly Pod[]): Pod | undefined {
  const node = status?.nodeName ?? '';
  if (node === '') return pods.find(({ metadata }) => metadata.labels?.[MIGRATION_LABEL] === undefined);
  const there = pods.filter(({ spec }) => spec.nodeName === node);
  // A machine that has come back to a node may find the pod there that it once left.
  return (
    there.find(({ metadata }) => status?.activePods?.[metadata.uid ?? ''] === node) ??
    there.find((pod) => !isFinished(pod)) ??
    there[0]
  );
}

/** The node whose agent speaks for the instance; '' while there is none. */
export function nodeOf({ status }: Vmi, pod: Pod | undefined): string {
  return status?.nodeName || pod?.spec.nodeName || '';
}
