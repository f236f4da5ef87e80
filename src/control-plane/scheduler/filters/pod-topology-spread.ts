import type { ClusterView } from '../framework/cluster-view.ts';
import { type Filter, filterStatus, type PreFilterState } from '../framework/filter.ts';
import type { PodInfo } from '../pod/pod-info.ts';
import type { SpreadConstraint } from '../pod/spread-constraint.ts';
import { countedNodes, spreadMatch } from '../spread/counted-nodes.ts';
import { type SpreadDefaults, spreadOf } from '../spread/spread-defaults.ts';

const name = 'PodTopologySpread';
const UNEVEN = filterStatus(name, "node(s) didn't match pod topology spread constraints", true);
const NO_LABEL = filterStatus(
  name,
  "node(s) didn't match pod topology spread constraints (missing required label)",
  false,
);

/** Filters nodes by the constraints with DoNotSchedule. */
export function podTopologySpread(defaults: SpreadDefaults): Filter {
  return {
    name,
    prepare(pod, cluster) {
      const constraints = spreadOf(pod, true, defaults, cluster);
      return constraints.length === 0 ? undefined : spreadChecks(pod, constraints, cluster);
    },
  };
}

/** Counts of matching pods in each topology domain of one constraint. */
interface Places {
  readonly constraint: SpreadConstraint;
  readonly values: Int32Array;
  /** Counts by the number of the domain, -1 if no node of it counts. */
  readonly counts: Int32Array;
  readonly self: number;
  /** Smallest count of any domain, undefined after a change. */
  least: number | undefined;
}

function spreadChecks(pod: PodInfo, constraints: readonly SpreadConstraint[], cluster: ClusterView): PreFilterState {
  const isCounted = countedNodes(pod, constraints, cluster);
  const all = constraints.map((constraint) => placesOf(pod, constraint, cluster, isCounted));
  return {
    check(slot) {
      for (const places of all) {
        const place = places.values[slot] ?? -1;
        if (place < 0) return NO_LABEL;
        places.least ??= leastOf(places);
        const count = Math.max(places.counts[place] ?? 0, 0);
        if (count + places.self - places.least > places.constraint.maxSkew) return UNEVEN;
      }
      return undefined;
    },
    supposed(slot, other, by) {
      // A terminating pod is not counted, so its removal changes no count.
      if (other.namespace !== pod.namespace || other.terminating) return;
      for (const places of all) {
        const place = places.values[slot] ?? -1;
        if (place < 0 || !places.constraint.selector.matches(other.labels)) continue;
        if (!isCounted(slot, places.constraint)) continue;
        places.counts[place] = Math.max(places.counts[place] ?? 0, 0) + by;
        places.least = undefined;
      }
    },
  };
}

function placesOf(
  pod: PodInfo,
  constraint: SpreadConstraint,
  { nodes }: ClusterView,
  isCounted: ReturnType<typeof countedNodes>,
): Places {
  const { values, size } = nodes.topology.of(constraint.topologyKey);
  const bySlot = nodes.counts.of(spreadMatch(pod.namespace, constraint.selector));
  const counts = new Int32Array(size).fill(-1);
  for (const slot of nodes.order.slots) {
    const place = values[slot] ?? -1;
    if (place < 0 || !isCounted(slot, constraint)) continue;
    counts[place] = Math.max(counts[place] ?? 0, 0) + (bySlot[slot] ?? 0);
  }
  const self = constraint.selector.matches(pod.labels) ? 1 : 0;
  return { constraint, values, counts, self, least: undefined };
}

/** Returns the smallest count, which is 0 if there are fewer domains than minDomains. */
function leastOf({ counts, constraint }: Places): number {
  let min = Number.MAX_SAFE_INTEGER;
  let places = 0;
  for (const count of counts) {
    if (count < 0) continue;
    places++;
    if (count < min) min = count;
  }
  return places < constraint.minDomains ? 0 : min;
}
