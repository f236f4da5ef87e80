import { tryParseQuantity } from '#platform/base/quantity';
import type { Resources } from '../kinds/pod.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** Parts of a pod that its QoS class follows from. */
export interface QosSpec {
  readonly containers?: readonly { readonly resources?: Resources }[] | null;
  readonly initContainers?: readonly { readonly resources?: Resources }[];
  readonly resources?: Resources;
}

const COMPUTE = ['cpu', 'memory'] as const;

/** Returns the QoS class of a pod by its requests and limits. It determines the protection when the node runs short. */
export function qosClass(spec: QosSpec): QosClass {
  const all =
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

function positive(amount: string | number | undefined): bigint | undefined {
  const nano = amount === undefined ? 0n : (tryParseQuantity(amount)?.nano ?? 0n);
  return nano > 0n ? nano : undefined;
}
