import type { Labels } from '#platform/kube/selectors/label-requirement';
import type { affinity } from '#platform/schema/placement';
import type { OutputOf } from '#platform/schema/schema';
import { type NamedSelector, selectorOf } from './selector-cache.ts';

export type AffinityRules = OutputOf<typeof affinity>;
type PodRules = NonNullable<AffinityRules['podAffinity']>;
type PodTerm = NonNullable<PodRules['requiredDuringSchedulingIgnoredDuringExecution']>[number];

/** Selects pods for affinity or anti-affinity, with the label that defines a topology domain. */
export interface AffinityTerm {
  /** Key that is equal for terms that select the same pods and topology domains. */
  readonly key: string;
  readonly topologyKey: string;
  readonly selector: NamedSelector;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: NamedSelector;
}

export interface WeightedTerm extends AffinityTerm {
  readonly weight: number;
}

export function requiredTerms(rules: PodRules | undefined, namespace: string): readonly AffinityTerm[] {
  return (rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => termOf(term, namespace));
}

export function preferredTerms(rules: PodRules | undefined, namespace: string): readonly WeightedTerm[] {
  return (rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) => ({
    ...termOf(podAffinityTerm, namespace),
    weight,
  }));
}

function termOf(term: PodTerm, own: string): AffinityTerm {
  const named = term.namespaces ?? [];
  // The pod's own namespace counts only if the term specifies neither names nor a selector.
  const namespaces = new Set(named.length === 0 && term.namespaceSelector === undefined ? [own] : named);
  const selector = selectorOf(term.labelSelector);
  const namespaceSelector = selectorOf(term.namespaceSelector);
  const key = `${term.topologyKey}|${[...namespaces].sort().join(',')}|${namespaceSelector.key}|${selector.key}`;
  return { key, topologyKey: term.topologyKey, selector, namespaces, namespaceSelector };
}

/** Fields of a pod that a term is matched against. */
export interface Candidate {
  readonly namespace: string;
  readonly labels: Labels | undefined;
}

/** Reports whether a term selects a pod. */
export function isNamedBy(term: AffinityTerm, pod: Candidate, namespaceLabels: Labels | undefined): boolean {
  const there = term.namespaces.has(pod.namespace) || term.namespaceSelector.matches(namespaceLabels);
  return there && term.selector.matches(pod.labels);
}
