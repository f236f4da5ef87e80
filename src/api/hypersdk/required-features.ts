import type { affinity } from '#platform/schema/placement';
import type { OutputOf } from '#platform/schema/schema';

type Affinity = OutputOf<typeof affinity>;
type NodeTerm = NonNullable<
  NonNullable<Affinity['nodeAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']
>['nodeSelectorTerms'][number];

/** Prefix of the label that is "true" on a node with a feature: `feature.vimana.io/kvm`. */
const LABEL_PREFIX = 'feature.vimana.io/';

/** Simulated nodes have every feature. */
const PLAYED: readonly NodeTerm[] = [
  { matchExpressions: [{ key: 'vimana.io/runtime', operator: 'In', values: ['simulated'] }] },
  { matchExpressions: [{ key: 'type', operator: 'In', values: ['kwok'] }] },
];

/** Returns the affinity of a VM, restricted to nodes that have the features. */
export function withFeatures(wishes: Affinity | undefined, features: readonly string[]): Affinity | undefined {
  if (features.length === 0) return wishes;
  const having = { matchExpressions: features.map(labelTerm) };
  const requested = wishes?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}];
  // One of several terms must match, so each term is combined with each alternative.
  const nodeSelectorTerms = requested.flatMap((term) => [having, ...PLAYED].map((other) => both(term, other)));
  const nodeAffinity = {
    ...wishes?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
  };
  return { ...wishes, nodeAffinity };
}

function labelTerm(feature: string) {
  return { key: `${LABEL_PREFIX}${feature}`, operator: 'In' as const, values: ['true'] };
}

function both(term: NodeTerm, other: NodeTerm): NodeTerm {
  return { ...term, matchExpressions: [...(term.matchExpressions ?? []), ...(other.matchExpressions ?? [])] };
}
