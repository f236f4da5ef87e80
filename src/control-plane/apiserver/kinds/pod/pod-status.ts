import { tryParseQuantity } from '#platform/base/quantity';
import type { Container, Pod, PodSpec } from './pod-spec.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const COMPUTE = ['cpu', 'memory'] as const;

/** Returns the QoS class of a pod by its requests and limits. It determines the protection when the node runs short. */
export function qosClass(spec: PodSpec): QosClass {
  const all: readonly Pick<Container, 'resources'>[] =
    spec.resources === undefined
      ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
      : [{ resources: spec.resources }];
  let asks = false;
  let bound = true;
  for (const { resources = {} } of all) {
    for (const name of COMPUTE) {
      const [request, limit] = [positive(resources.requests?.[name]), positive(resources.limits?.[name])];
      if (request !== undefined || limit !== undefined) asks = true;
      if (limit === undefined || request !== limit) bound = false;
    }
  }
  if (!asks) return 'BestEffort';
  return bound ? 'Guaranteed' : 'Burstable';
}

function positive(amount: string | undefined): bigint | undefined {
  const nano = amount === undefined ? 0n : (tryParseQuantity(amount)?.nano ?? 0n);
  return nano > 0n ? nano : undefined;
}

/**
 * Returns the grace period of a deleted pod: the requested one, or else its own. A pod that is unscheduled or finished
 * is deleted at once.
 */
export function podGrace({ spec, status }: Pod, asked: number | undefined): number {
  const wanted = asked ?? spec.terminationGracePeriodSeconds ?? 0;
  if ((spec.nodeName ?? '') === '' || status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0;
  return wanted < 0 ? 1 : wanted;
}
