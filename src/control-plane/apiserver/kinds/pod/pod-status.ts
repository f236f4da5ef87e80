import { tryParseQuantity } from '#platform/base/quantity';
import type { Container, Pod, PodSpec } from './pod-spec.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const COMPUTE = ['cpu', 'memory'] as const;

/** How well a pod is protected when its node runs short: by whether it asks for, and is held to, what it uses. */
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
 * How long a deleted pod has to end: what its deleter asked for, else what it says itself. A pod that runs nowhere, or
 * has ended, goes at once.
 */
export function podGrace({ spec, status }: Pod, asked: number | undefined): number {
  const wanted = asked ?? spec.terminationGracePeriodSeconds ?? 0;
  if ((spec.nodeName ?? '') === '' || status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0;
  return wanted < 0 ? 1 : wanted;
}
