import type { NewObject } from '#platform/kube/client';
import { DEPLOYMENTS, type Deployment, type ReplicaSet } from '#platform/kube/kinds/workloads';
import { controllerRef } from '../replicas/claim-objects.ts';
import { templateHash } from '../template-hash.ts';
import { desiredReplicas, type Limits, total } from './limits.ts';
import { DESIRED, MAX } from './scaling.ts';
import { HASH_LABEL } from './template.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';
/** Annotations of a Deployment that its ReplicaSets do not inherit. */
const OWN = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  HISTORY,
  DESIRED,
  MAX,
]);

/** Returns the recorded revision, a number of 64 bits, or 0 if there is none. */
export function revisionOf({ metadata }: ReplicaSet | Deployment): bigint {
  const text = metadata.annotations?.[REVISION] ?? '';
  return /^[0-9]{1,19}$/.test(text) ? BigInt(text) : 0n;
}

/** Returns the revision of the newest template, one more than all before it. */
export function nextRevision(old: readonly ReplicaSet[]): bigint {
  return old.map(revisionOf).reduce((newest, each) => (each > newest ? each : newest), 0n) + 1n;
}

const sizeAnnotations = ({ replicas, surge }: Limits) => ({ [DESIRED]: `${replicas}`, [MAX]: `${replicas + surge}` });

const inheritedAnnotations = (deployment: Deployment) =>
  Object.fromEntries(Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !OWN.has(name)));

/** Builds the ReplicaSet for a template that has none yet. */
export function newReplicaSet(
  deployment: Deployment,
  old: readonly ReplicaSet[],
  limits: Limits,
): NewObject<ReplicaSet> {
  const { metadata, spec, status } = deployment;
  const { template, minReadySeconds } = spec;
  const hash = templateHash(template, status?.collisionCount);
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  const rolling = spec.strategy?.type !== 'Recreate';
  const room = rolling ? limits.replicas + limits.surge - total(old, desiredReplicas) : limits.replicas;
  return {
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace ?? '',
      labels,
      annotations: {
        ...inheritedAnnotations(deployment),
        [REVISION]: `${nextRevision(old)}`,
        ...sizeAnnotations(limits),
      },
      ownerReferences: [controllerRef(DEPLOYMENTS, deployment)],
    },
    spec: {
      replicas: Math.max(0, Math.min(limits.replicas, room)),
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** Returns the current set with the fields that it inherits from its Deployment, including the revision. */
export function refreshReplicaSet(set: ReplicaSet, deployment: Deployment, old: readonly ReplicaSet[]): ReplicaSet {
  const annotations: Record<string, string> = { ...set.metadata.annotations, ...inheritedAnnotations(deployment) };
  const before = revisionOf(set);
  const next = nextRevision(old);
  if (before < next) {
    annotations[REVISION] = `${next}`;
    if (before > 0n) annotations[HISTORY] = [annotations[HISTORY], `${before}`].filter(Boolean).join(',');
  }
  const { minReadySeconds } = deployment.spec;
  const spec = minReadySeconds === undefined ? set.spec : { ...set.spec, minReadySeconds };
  return { ...set, metadata: { ...set.metadata, annotations }, spec };
}

/** Returns a set with another size, which is also recorded in its annotations. */
export function resizeReplicaSet(set: ReplicaSet, replicas: number, limits: Limits): ReplicaSet {
  const annotations = { ...set.metadata.annotations, ...sizeAnnotations(limits) };
  return { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } };
}

/** Returns the oldest sets beyond the revision history limit. */
export function replicaSetsToPrune(old: readonly ReplicaSet[], limit: number): ReplicaSet[] {
  const living = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const surplus = living
    .toSorted((a, b) => Number(revisionOf(a) - revisionOf(b)))
    .slice(0, Math.max(0, living.length - limit));
  return surplus.filter(
    ({ metadata, spec, status }) =>
      (status?.replicas ?? 0) === 0 &&
      spec.replicas === 0 &&
      (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0),
  );
}
