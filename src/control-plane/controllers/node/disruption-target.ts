import type { Client } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { isConflict, isNotFound } from '#platform/kube/kube-error';

/** Reason why a pod is terminated from outside. */
export interface DisruptionReason {
  readonly reason: string;
  readonly message: string;
  /** Phase to set if no kubelet is left to terminate the pod. */
  readonly phase?: 'Failed';
  /** Grace period in seconds. Defaults to that of the pod. */
  readonly grace?: number;
}

/**
 * Writes the DisruptionTarget condition of a pod and deletes it. A pod that is gone, or another with its name, is
 * ignored.
 */
export async function deleteWithDisruptionTarget(
  { metadata }: Pod,
  ending: DisruptionReason,
  now: string,
  client: Client,
): Promise<void> {
  const { name = '', namespace = '', uid = '' } = metadata;
  const { reason, message, phase, grace } = ending;
  const condition = { type: 'DisruptionTarget', status: 'True', reason, message, lastTransitionTime: now };
  const body = { metadata: { uid }, status: { ...(phase === undefined ? {} : { phase }), conditions: [condition] } };
  try {
    await client.patch(PODS, name, { type: 'strategic', body }, { namespace, subresource: 'status' });
    await client.delete(PODS, name, {
      namespace,
      preconditions: { uid },
      ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
