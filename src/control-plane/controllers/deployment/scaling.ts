import type { ReplicaSet } from '#platform/kube/kinds/workloads';
import { availableOf, byCreation, desiredReplicas, type Limits, total } from './limits.ts';
import type { Sizes } from './rollout.ts';

export const DESIRED = 'deployment.kubernetes.io/desired-replicas';
export const MAX = 'deployment.kubernetes.io/max-replicas';

const nameOf = ({ metadata }: ReplicaSet) => metadata.name ?? '';
const annotatedNumber = ({ metadata }: ReplicaSet, annotation: string) => {
  const text = metadata.annotations?.[annotation];
  return text === undefined ? undefined : Number(text);
};

/** Reports whether the number of replicas changed since the sets were last sized. */
export function isScaled(sets: readonly ReplicaSet[], replicas: number): boolean {
  return sets.some((set) => desiredReplicas(set) > 0 && (annotatedNumber(set, DESIRED) ?? replicas) !== replicas);
}

/**
 * Distributes a new number of replicas over the active sets in proportion, so that a rollout continues where it was.
 */
export function scaleProportionally(
  fresh: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  limits: Limits,
  rolling: boolean,
): Sizes {
  const { replicas, surge } = limits;
  const all = fresh === undefined ? [...old] : [fresh, ...old];
  const active = all.filter((set) => desiredReplicas(set) > 0);
  const only = active.length > 1 ? undefined : (active[0] ?? fresh ?? old.toSorted(byCreation).at(-1));
  if (only !== undefined) return desiredReplicas(only) === replicas ? new Map() : new Map([[nameOf(only), replicas]]);
  if (fresh !== undefined && isSaturated(fresh, replicas)) {
    return new Map(active.filter((set) => set !== fresh).map((set) => [nameOf(set), 0]));
  }
  return rolling ? proportionalSizes(active, limits, replicas > 0 ? replicas + surge : 0) : new Map();
}

function isSaturated(fresh: ReplicaSet, replicas: number): boolean {
  return (
    desiredReplicas(fresh) === replicas &&
    annotatedNumber(fresh, DESIRED) === replicas &&
    availableOf(fresh) === replicas
  );
}

function proportionalSizes(active: readonly ReplicaSet[], limits: Limits, allowed: number): Sizes {
  const change = allowed - total(active, desiredReplicas);
  // Larger sets come first. Of two equal sets the newer gains and the older loses.
  const order = active.toSorted(
    (a, b) => desiredReplicas(b) - desiredReplicas(a) || (change > 0 ? byCreation(b, a) : byCreation(a, b)),
  );
  let given = 0;
  const sizes = order.map((set) => {
    const left = change - given;
    const share = change > 0 ? Math.min(shareOf(set, limits), left) : Math.max(shareOf(set, limits), left);
    given += change === 0 ? 0 : share;
    return [nameOf(set), desiredReplicas(set) + (change === 0 ? 0 : share)] as [string, number];
  });
  // The largest set takes the remainder of rounding.
  const [largest] = sizes;
  if (largest !== undefined) largest[1] = Math.max(0, largest[1] + change - given);
  return new Map(sizes);
}

/** Returns how much a set gains or loses if it keeps its fraction of the total. */
function shareOf(set: ReplicaSet, { replicas, surge }: Limits): number {
  const size = desiredReplicas(set);
  if (replicas === 0) return -size;
  const before = annotatedNumber(set, MAX) ?? replicas + surge;
  return before === 0 ? 0 : Math.round((size * (replicas + surge)) / before) - size;
}
