import { jsonEqual } from '#platform/base/json-equal';
import type { Deployment, PodTemplate, ReplicaSet } from '#platform/kube/kinds/workloads';
import { byCreation } from './limits.ts';

export const HASH_LABEL = 'pod-template-hash';

/** Returns the ReplicaSet with the template of a Deployment, the oldest if there are several. */
export function currentSet(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const desired = withoutHash(deployment.spec.template);
  return sets.toSorted(byCreation).find((set) => jsonEqual(withoutHash(set.spec.template), desired));
}

export function isSameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  return jsonEqual(withoutHash(a), withoutHash(b));
}

function withoutHash({ metadata = {}, spec }: PodTemplate): PodTemplate {
  const { [HASH_LABEL]: _hash, ...labels } = metadata.labels ?? {};
  return { metadata: { ...metadata, labels }, spec };
}
