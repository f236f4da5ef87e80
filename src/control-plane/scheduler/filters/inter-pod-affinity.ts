import { PlaceSums, PlaceSumsByKey } from '../affinity/place-sums.ts';
import { isNamedByAll, matchOfAll, resolveTerm } from '../affinity/resolved-term.ts';
import type { ClusterView } from '../framework/cluster-view.ts';
import { type Filter, filterStatus, type PreFilterState } from '../framework/filter.ts';
import { type AffinityTerm, isNamedBy } from '../pod/affinity-term.ts';
import type { PodInfo } from '../pod/pod-info.ts';

const name = 'InterPodAffinity';
const NOT_NEAR = filterStatus(name, "node(s) didn't match pod affinity rules", false);
const TOO_NEAR = filterStatus(name, "node(s) didn't match pod anti-affinity rules", true);
const UNWANTED = filterStatus(name, "node(s) didn't satisfy existing pods anti-affinity rules", true);

/** Filters nodes by the pod's required affinity and anti-affinity, and by the anti-affinity of existing pods. */
export const interPodAffinity: Filter = {
  name,
  prepare(pod, cluster) {
    const unwelcome = antiAffinityDomains(pod, cluster);
    if (unwelcome === undefined && pod.affinity.length === 0 && pod.antiAffinity.length === 0) return undefined;
    return affinityChecks(pod, cluster, unwelcome ?? new PlaceSumsByKey(cluster.nodes));
  },
};

/** Returns the topology domains of pods whose anti-affinity selects the new pod. */
function antiAffinityDomains(pod: PodInfo, { nodes, namespaceLabels }: ClusterView): PlaceSumsByKey | undefined {
  let places: PlaceSumsByKey | undefined;
  for (const { term, bySlot } of nodes.terms.antiAffinity.values()) {
    if (!isNamedBy(term, pod, namespaceLabels(pod.namespace))) continue;
    places ??= new PlaceSumsByKey(nodes);
    const sums = places.of(term.topologyKey);
    for (const [slot, count] of bySlot) sums.add(slot, count);
  }
  return places;
}

interface TermPlaces {
  readonly term: AffinityTerm;
  readonly sums: PlaceSums;
}

function affinityChecks(pod: PodInfo, cluster: ClusterView, unwelcome: PlaceSumsByKey): PreFilterState {
  const { nodes } = cluster;
  const near = pod.affinity.map((term) => resolveTerm(term, cluster));
  const away = pod.antiAffinity.map((term) => resolveTerm(term, cluster));
  const nearPlaces = near.map((term) => placesOf(term, near, cluster));
  const awayPlaces = away.map((term) => placesOf(term, [term], cluster));
  const isOwnCompany = isNamedByAll(near, pod);
  // The pods of all domains count, because the first pod of a group with affinity to itself may run anywhere.
  let company = 0;
  for (const { sums } of nearPlaces) for (const sum of sums.sums) company += sum;

  const isNear = (slot: number): boolean => {
    let all = true;
    for (const { sums } of nearPlaces) {
      if (!sums.has(slot)) return false;
      if (sums.at(slot) <= 0) all = false;
    }
    return all || (company === 0 && isOwnCompany);
  };
  return {
    check(slot) {
      if (nearPlaces.length > 0 && !isNear(slot)) return NOT_NEAR;
      for (const { sums } of awayPlaces) if (sums.at(slot) > 0) return TOO_NEAR;
      for (const sums of unwelcome.byKey.values()) if (sums.at(slot) > 0) return UNWANTED;
      return undefined;
    },
    supposed(slot, other, by) {
      for (const term of other.antiAffinity) {
        if (isNamedBy(term, pod, cluster.namespaceLabels(pod.namespace))) unwelcome.of(term.topologyKey).add(slot, by);
      }
      if (near.length > 0 && isNamedByAll(near, other)) {
        for (const { sums } of nearPlaces) if (sums.add(slot, by)) company += by;
      }
      for (const { term, sums } of awayPlaces) if (isNamedByAll([term], other)) sums.add(slot, by);
    },
  };

  /** Counts the pods that all of `terms` select, in each topology domain of one term. */
  function placesOf(term: AffinityTerm, terms: readonly AffinityTerm[], { nodes: all }: ClusterView): TermPlaces {
    const sums = new PlaceSums(nodes.topology.of(term.topologyKey));
    const bySlot = all.counts.of(matchOfAll(terms));
    for (const slot of all.order.slots) {
      const count = bySlot[slot] ?? 0;
      if (count > 0) sums.add(slot, count);
    }
    return { term, sums };
  }
}
