import type { Vmi } from '#api/kubevirt/resources';
import { MIGRATION_LABEL } from '#api/launcher';
import type { Pod } from '#platform/kube/kinds/pod';

export const isPodFinished = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed';
export const isBound = ({ spec }: Pod) => (spec.nodeName ?? '') !== '';

/**
 * Returns the pod in which an instance runs, or will run. A migration target counts only once the VM has arrived there.
 */
export function currentPod(vmi: Vmi, pods: readonly Pod[]): Pod | undefined {
  const { status } = vmi;
  const node = status?.nodeName ?? '';
  if (node === '') return pods.find((pod) => !isForMigration(pod));
  const there = pods.filter(({ spec }) => spec.nodeName === node);
  // A VM that returned to a node may find the pod there that it once left. If its own pod is gone, the target of a
  // migration may be on the very node that it is to leave.
  const own = there.filter((pod) => !isForMigration(pod) || isWhereItWent(vmi, pod));
  return (
    there.find(({ metadata }) => status?.activePods?.[metadata.uid ?? ''] === node) ??
    own.find((pod) => !isPodFinished(pod)) ??
    own[0]
  );
}

const isForMigration = ({ metadata }: Pod) => metadata.labels?.[MIGRATION_LABEL] !== undefined;

function isWhereItWent({ status }: Vmi, { metadata }: Pod): boolean {
  const { targetPod, completed = false, failed = false } = status?.migrationState ?? {};
  return completed && !failed && targetPod === metadata.name;
}

/** Returns the node whose node agent reports for the instance, or '' if there is none yet. */
export function nodeOf({ status }: Vmi, pod: Pod | undefined): string {
  return status?.nodeName || pod?.spec.nodeName || '';
}
