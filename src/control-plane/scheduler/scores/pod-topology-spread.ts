import type { ClusterView } from '../framework/cluster-view.ts';
import { type Feasible, MAX_SCORE, type PreScoreState, type Score } from '../framework/score.ts';
import type { PodInfo } from '../pod/pod-info.ts';
import type { SpreadConstraint } from '../pod/spread-constraint.ts';
import { countedNodes, spreadMatch } from '../spread/counted-nodes.ts';
import { type SpreadDefaults, spreadOf } from '../spread/spread-defaults.ts';

const HOSTNAME = 'kubernetes.io/hostname';

/** Prefers topology domains with fewer matching pods, for constraints with ScheduleAnyway. */
export function podTopologySpreadScore(defaults: SpreadDefaults): Score {
  return {
    name: 'PodTopologySpread',
    prepare(pod, cluster, feasible) {
      const constraints = spreadOf(pod, false, defaults, cluster);
      if (constraints.length === 0) return undefined;
      const needsAllLabels = pod.spread.length > 0 || !defaults.builtIn;
      return spreadScores(pod, constraints, cluster, feasible, needsAllLabels);
    },
  };
}

/** Number of pods in the topology domain of a node for one constraint, with their weight. */
interface Places {
  readonly values: Int32Array;
  readonly weight: number;
  readonly skew: number;
  readonly countAt: (slot: number, place: number) => number;
}

function spreadScores(
  pod: PodInfo,
  constraints: readonly SpreadConstraint[],
  cluster: ClusterView,
  feasible: Feasible,
  needsAllLabels: boolean,
): PreScoreState {
  const { slots, count } = feasible;
  const isCounted = countedNodes(pod, constraints, cluster, needsAllLabels);
  const columns = constraints.map(({ topologyKey }) => cluster.nodes.topology.of(topologyKey));
  const ignored = new Uint8Array(count);
  let scored = 0;
  for (let i = 0; i < count; i++) {
    const slot = slots[i] ?? 0;
    ignored[i] = needsAllLabels && columns.some(({ values }) => (values[slot] ?? -1) < 0) ? 1 : 0;
    if (ignored[i] === 0) scored++;
  }
  const all = constraints.map((constraint): Places => {
    const { values } = cluster.nodes.topology.of(constraint.topologyKey);
    const bySlot = cluster.nodes.counts.of(spreadMatch(pod.namespace, constraint.selector));
    const skew = constraint.maxSkew - 1;
    if (constraint.topologyKey === HOSTNAME) {
      return { values, skew, weight: Math.log(scored + 2), countAt: (slot) => bySlot[slot] ?? 0 };
    }
    const { counts, domains } = feasibleDomains(constraint, cluster, feasible, ignored);
    for (const slot of cluster.nodes.order.slots) {
      const place = values[slot] ?? -1;
      if (place < 0 || (counts[place] ?? -1) < 0 || !isCounted(slot, constraint)) continue;
      counts[place] = (counts[place] ?? 0) + (bySlot[slot] ?? 0);
    }
    return { values, skew, weight: Math.log(domains + 2), countAt: (_slot, place) => counts[place] ?? 0 };
  });
  return {
    raw: (scores) => sumScores(scores, all, feasible, ignored),
    normalize: (scores) => fewerIsBetter(scores, ignored, count),
  };
}

/** Returns a count of 0 for each domain with feasible nodes, and their number. */
function feasibleDomains(
  { topologyKey }: SpreadConstraint,
  { nodes }: ClusterView,
  { slots, count }: Feasible,
  ignored: Uint8Array,
): { readonly counts: Int32Array; readonly domains: number } {
  const { values, size } = nodes.topology.of(topologyKey);
  // -1 marks a domain without feasible nodes, which is never looked up.
  const counts = new Int32Array(size).fill(-1);
  let places = 0;
  let unlabelled = false;
  for (let i = 0; i < count; i++) {
    if (ignored[i] === 1) continue;
    const place = values[slots[i] ?? 0] ?? -1;
    if (place < 0) unlabelled = true;
    else if (counts[place] === -1) {
      counts[place] = 0;
      places++;
    }
  }
  // Nodes without the label together form one more domain.
  return { counts, domains: places + (unlabelled ? 1 : 0) };
}

function sumScores(
  scores: Float64Array,
  all: readonly Places[],
  { slots, count }: Feasible,
  ignored: Uint8Array,
): void {
  for (let i = 0; i < count; i++) {
    const slot = slots[i] ?? 0;
    let sum = 0;
    if (ignored[i] === 0) {
      for (const { values, weight, skew, countAt } of all) {
        const place = values[slot] ?? -1;
        if (place >= 0) sum += countAt(slot, place) * weight + skew;
      }
    }
    scores[i] = Math.round(sum);
  }
}

function fewerIsBetter(scores: Float64Array, ignored: Uint8Array, count: number): void {
  let min = Number.MAX_SAFE_INTEGER;
  let max = 0;
  for (let i = 0; i < count; i++) {
    if (ignored[i] === 1) continue;
    min = Math.min(min, scores[i] ?? 0);
    max = Math.max(max, scores[i] ?? 0);
  }
  for (let i = 0; i < count; i++) {
    if (ignored[i] === 1) scores[i] = 0;
    else if (max === 0) scores[i] = MAX_SCORE;
    else scores[i] = Math.trunc((MAX_SCORE * (max + min - (scores[i] ?? 0))) / max);
  }
}
