import type { ClusterView } from '../framework/cluster-view.ts';
import { type AffinityTerm, type Candidate, isNamedBy } from '../pod/affinity-term.ts';
import { selectorOf } from '../pod/selector-cache.ts';
import type { PodMatch } from '../snapshot/pod-counts.ts';

const NO_NAMESPACE = selectorOf(undefined);

/**
 * Resolves the namespace selector of a term to the namespaces that it currently matches. Namespace labels are then no
 * longer needed.
 */
export function resolveTerm(term: AffinityTerm, cluster: ClusterView): AffinityTerm {
  const { namespaceSelector } = term;
  if (namespaceSelector === NO_NAMESPACE || namespaceSelector.empty) return term;
  const namespaces = new Set(term.namespaces);
  for (const { name, labels } of cluster.namespaces()) if (namespaceSelector.matches(labels)) namespaces.add(name);
  const key = `${term.topologyKey}|${[...namespaces].sort().join(',')}|${NO_NAMESPACE.key}|${term.selector.key}`;
  return { ...term, key, namespaces, namespaceSelector: NO_NAMESPACE };
}

/** Returns a match for the pods that all these terms select. The terms must be resolved. */
export function matchOfAll(terms: readonly AffinityTerm[]): PodMatch {
  const [first] = terms;
  const namespaces = first === undefined || first.namespaceSelector.empty ? undefined : first.namespaces;
  return {
    key: `affinity|${terms.map(({ key }) => key).join('&')}`,
    namespaces,
    matches: (pod) => isNamedByAll(terms, pod),
  };
}

/** Reports whether all these terms select a pod. The terms must be resolved. */
export function isNamedByAll(terms: readonly AffinityTerm[], pod: Candidate): boolean {
  for (const term of terms) if (!isNamedBy(term, pod, undefined)) return false;
  return true;
}
