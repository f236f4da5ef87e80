import { PlaceSumsByKey } from '../affinity/place-sums.ts';
import { matchOfAll, resolveTerm } from '../affinity/resolved-term.ts';
import type { ClusterView } from '../framework/cluster-view.ts';
import { MAX_SCORE, type Score } from '../framework/score.ts';
import { isNamedBy } from '../pod/affinity-term.ts';
import type { PodInfo } from '../pod/pod-info.ts';
import type { PlacedTerm } from '../snapshot/term-index.ts';

export interface InterPodAffinityArgs {
  /** Weight of the required affinity of existing pods that selects the new pod. */
  readonly hardPodAffinityWeight: number;
  readonly ignorePreferredTermsOfExistingPods: boolean;
}

export const INTER_POD_AFFINITY: InterPodAffinityArgs = {
  hardPodAffinityWeight: 1,
  ignorePreferredTermsOfExistingPods: false,
};

/** Prefers topology domains by the preferred affinity and anti-affinity between the pod and existing pods. */
export function interPodAffinityScore(args: InterPodAffinityArgs = INTER_POD_AFFINITY): Score {
  return {
    name: 'InterPodAffinity',
    prepare(pod, cluster, { slots, count }) {
      const places = likesOf(pod, cluster, args);
      if (places === undefined) return undefined;
      const sums = [...places.byKey.values()];
      return {
        raw(scores) {
          for (let i = 0; i < count; i++) {
            let score = 0;
            for (const sum of sums) score += sum.at(slots[i] ?? 0);
            scores[i] = score;
          }
        },
        normalize: (scores) => stretch(scores, count),
      };
    },
  };
}

/** Sums the weights for and against each topology domain, undefined if there are none. */
function likesOf(pod: PodInfo, cluster: ClusterView, args: InterPodAffinityArgs): PlaceSumsByKey | undefined {
  const { nodes } = cluster;
  const hasLikes = pod.preferredAffinity.length + pod.preferredAntiAffinity.length > 0;
  if (args.ignorePreferredTermsOfExistingPods && !hasLikes) return undefined;
  const places = new PlaceSumsByKey(nodes);
  let some = false;
  const ofOthers = (terms: ReadonlyMap<string, PlacedTerm>, by: number) => {
    if (terms.size === 0) return;
    const labels = cluster.namespaceLabels(pod.namespace);
    for (const { term, bySlot } of terms.values()) {
      if (!isNamedBy(term, pod, labels)) continue;
      const sums = places.of(term.topologyKey);
      for (const [slot, weight] of bySlot) if (sums.add(slot, by * weight)) some = true;
    }
  };
  for (const [terms, by] of [[pod.preferredAffinity, 1] as const, [pod.preferredAntiAffinity, -1] as const]) {
    for (const term of terms) {
      const bySlot = nodes.counts.of(matchOfAll([resolveTerm(term, cluster)]));
      const sums = places.of(term.topologyKey);
      for (const slot of nodes.order.slots) {
        const pods = bySlot[slot] ?? 0;
        if (pods > 0 && sums.add(slot, by * term.weight * pods)) some = true;
      }
    }
  }
  if (args.hardPodAffinityWeight > 0) ofOthers(nodes.terms.affinity, args.hardPodAffinityWeight);
  if (!args.ignorePreferredTermsOfExistingPods) {
    ofOthers(nodes.terms.preferredAffinity, 1);
    ofOthers(nodes.terms.preferredAntiAffinity, -1);
  }
  return some ? places : undefined;
}

/** Scales the scores linearly so that the worst is 0 and the best is 100. */
function stretch(scores: Float64Array, count: number): void {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    min = Math.min(min, scores[i] ?? 0);
    max = Math.max(max, scores[i] ?? 0);
  }
  for (let i = 0; i < count; i++) {
    scores[i] = max > min ? Math.trunc(MAX_SCORE * (((scores[i] ?? 0) - min) / (max - min))) : 0;
  }
}
