import { conditionOf } from '#platform/kube/kinds/condition';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import type { DisruptionReason } from '../node/disruption-target.ts';

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** Reason why pod garbage collection deletes a pod, or none. */
export type PodGcDecision =
  | { readonly is: 'fine' }
  | { readonly is: 'finished' }
  /** The node of the pod does not seem to exist. */
  | { readonly is: 'lost' }
  | { readonly is: 'stuck'; readonly ending: DisruptionReason };

export const LOST: DisruptionReason = {
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
  phase: 'Failed',
  grace: 0,
};

/** Classifies a pod. `node` is the one that it is bound to, if known. */
export function classifyPod({ metadata, spec, status }: Pod, node: Node | undefined): PodGcDecision {
  const { nodeName = '' } = spec;
  const dying = metadata.deletionTimestamp !== undefined;
  if (nodeName === '' && dying) {
    const message = 'PodGC: unscheduled and being deleted';
    return { is: 'stuck', ending: { reason: 'DeletionByPodGC', message, phase: 'Failed', grace: 0 } };
  }
  if (nodeName !== '' && node === undefined) return { is: 'lost' };
  if (dying && node !== undefined && isOutOfService(node)) {
    const message = 'PodGC: node no longer exists or is out of service';
    return { is: 'stuck', ending: { reason: 'DeletionByPodGC', message, phase: 'Failed', grace: 0 } };
  }
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' ? { is: 'finished' } : { is: 'fine' };
}

/** Reports whether a node is tainted as out of service, which asserts that nothing runs there any longer. */
function isOutOfService({ spec, status }: Node): boolean {
  const ready = conditionOf(status?.conditions, 'Ready')?.status === 'True';
  return !ready && (spec?.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE);
}
