import type { ReplicaSet } from '#platform/kube/kinds/workloads';
import { availableOf, byCreation, type Limits, total, wantedBy } from './limits.ts';
import type { Sizes } from './rollout.ts';

export const DESIRED = 'deployment.kubernetes.io/desired-replicas';
export const MAX = 'deployment.kubernetes.io/max-replicas';

const nameOf = ({ metadata }: ReplicaSet) => metadata.name ?? '';
const noted = ({ metadata }: ReplicaSet, annotation: string) => {
  const text = metadata.annotations?.[annotation];
  return text === undefined ? undefined : Number(text);
};

/** Whether the number of replicas is another than when the sets were last sized. */
export function isScaled(sets: readonly ReplicaSet[], replicas: number): boolean {
  return sets.some((set) => wantedBy(set) > 0 && (noted(set, DESIRED) ?? replicas) !== replicas);
}

/** Gives a new number of replicas to the sets that share it, in proportion, so that a rollout goes on where it was. */
export function rescaled(
  fresh: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  limits: Limits,
  rolling: boolean,
): Sizes {
  const { replicas, surge } = limits;
  const all = fresh === undefined ? [...old] : [fresh, ...old];
  const active = all.filter((set) => wantedBy(set) > 0);
  const only = active.length > 1 ? undefined : (active[0] ?? fresh ?? old.toSorted(byCreation).at(-1));
  if (only !== undefined) return wantedBy(only) === replicas ? new Map() : new Map([[nameOf(only), replicas]]);
  if (fresh !== undefined && isSaturated(fresh, replicas)) {
    return new Map(active.filter((set) => set !== fresh).map((set) => [nameOf(set), 0]));
  }
  return rolling ? shared(active, limits, replicas > 0 ? replicas + surge : 0) : new Map();
}

function isSaturated(fresh: ReplicaSet, replicas: number): boolean {
  return wantedBy(fresh) === replicas && noted(fresh, DESIRED) === replicas && availableOf(fresh) === replicas;
}

function shared(active: readonly ReplicaSet[], limits: Limits, allowed: number): Sizes {
  const change = allowed - total(active, wantedBy);
  // The largest first; of two as large the newer gains and the older loses.
  const order = active.toSorted(
    (a, b) => wantedBy(b) - wantedBy(a) || (change > 0 ? byCreation(b, a) : byCreation(a, b)),
  );
  let given = 0;
  const sizes = order.map((set) => {
    const left = change - given;
    const share = change > 0 ? Math.min(shareOf(set, limits), left) : Math.max(shareOf(set, limits), left);
    given += change === 0 ? 0 : share;
    return [nameOf(set), wantedBy(set) + (change === 0 ? 0 : share)] as [string, number];
  });
  // What rounding left over goes to the largest.
  const [largest] = sizes;
  if (largest !== undefined) largest[1] = Math.max(0, largest[1] + change - given);
  return new Map(sizes);
}

/** How much a set gains or loses when it keeps its part of the whole. */
function shareOf(set: ReplicaSet, { replicas, surge }: Limits): number {
  const size = wantedBy(set);
  if (replicas === 0) return -size;
  const before = noted(set, MAX) ?? replicas + surge;
  return before === 0 ? 0 : Math.round((size * (replicas + surge)) / before) - size;
}
