import type { Client } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { isConflict, isNotFound } from '#platform/kube/kube-error';

/** Why a pod is ended from outside. */
export interface DisruptionReason {
  readonly reason: string;
  readonly message: string;
  /** The phase that a pod gets that nobody is left to end properly. */
  readonly phase?: 'Failed';
  /** Seconds; absent: what the pod asks for. */
  readonly grace?: number;
}

/** Writes on a pod why it ends, and deletes it; one that is gone, or another of its name, is left alone. */
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
