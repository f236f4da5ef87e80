import { conditionOf, withCondition } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';
import type { PodTemplate, ReplicaStatus } from '#platform/kube/kinds/workloads';
import type { KubeObject } from '#platform/kube/kube-object';
import { labelSelectorOfSet } from '#platform/kube/selectors/label-selector';
import { availableIn, isActive, isReady, isTerminating } from './pod-state.ts';

export interface ReplicaOwner extends KubeObject {
  readonly spec: { readonly minReadySeconds?: number; readonly template: PodTemplate };
  readonly status?: ReplicaStatus;
}

/** Reason why pods could not be created or deleted. */
export interface ReplicaFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

/** Returns the status of an owner of replicas, and when to reconcile again for a pod that becomes available by then. */
export function replicaStatus(
  owner: ReplicaOwner,
  pods: readonly Pod[],
  failure: ReplicaFailure | undefined,
  now: number,
  timestamp: string,
): { readonly status: ReplicaStatus; readonly againMs: number | undefined } {
  const { minReadySeconds = 0, template } = owner.spec;
  const active = pods.filter(isActive);
  const waits = active.map((pod) => availableIn(pod, minReadySeconds, now)).filter((wait) => wait !== undefined);
  const labelled = labelSelectorOfSet(template.metadata?.labels);
  const pending = waits.filter((wait) => wait > 0);
  const conditions = conditionsAfter(owner.status?.conditions, failure, timestamp);
  return {
    status: {
      replicas: active.length,
      ...nonZero('fullyLabeledReplicas', active.filter(({ metadata }) => labelled.matches(metadata.labels)).length),
      ...nonZero('readyReplicas', active.filter(isReady).length),
      ...nonZero('availableReplicas', waits.length - pending.length),
      ...(owner.kind === 'ReplicaSet' ? { terminatingReplicas: pods.filter(isTerminating).length } : {}),
      ...nonZero('observedGeneration', owner.metadata.generation ?? 0),
      ...(conditions.length === 0 ? {} : { conditions }),
    },
    againMs: pending.length === 0 ? undefined : Math.min(...pending),
  };
}

/** Zero counts are left out, as in Kubernetes. */
const nonZero = (name: string, count: number) => (count === 0 ? {} : { [name]: count });

function conditionsAfter(before: ReplicaStatus['conditions'], failure: ReplicaFailure | undefined, now: string) {
  if (failure === undefined) return (before ?? []).filter(({ type }) => type !== 'ReplicaFailure');
  const known = conditionOf(before, 'ReplicaFailure');
  if (known?.reason === failure.reason) return before ?? [];
  return withCondition(before, { type: 'ReplicaFailure', status: 'True', ...failure }, now);
}
