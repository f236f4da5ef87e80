import type { ReplicaSet } from '#platform/kube/kinds/workloads';
import { availableOf, byCreation, desiredReplicas, type Limits, total } from './limits.ts';

/** New numbers of replicas, by the name of the ReplicaSet; those that stay as they are are not in it. */
export type Sizes = ReadonlyMap<string, number>;

const nameOf = ({ metadata }: ReplicaSet) => metadata.name ?? '';

/** The next step of a rolling update: the new set grows as far as it may, or else old ones shrink as far as they may. */
export function rollingStep(fresh: ReplicaSet, old: readonly ReplicaSet[], limits: Limits): Sizes {
  const grown = grow(fresh, old, limits);
  return grown === desiredReplicas(fresh) ? shrink(fresh, old, limits) : new Map([[nameOf(fresh), grown]]);
}

function grow(fresh: ReplicaSet, old: readonly ReplicaSet[], { replicas, surge }: Limits): number {
  const size = desiredReplicas(fresh);
  if (size >= replicas) return replicas;
  const room = replicas + surge - total([fresh, ...old], desiredReplicas);
  return size + Math.max(0, Math.min(room, replicas - size));
}

function shrink(fresh: ReplicaSet, old: readonly ReplicaSet[], { replicas, unavailable }: Limits): Sizes {
  const sizes = new Map<string, number>();
  const least = replicas - unavailable;
  const unready = desiredReplicas(fresh) - availableOf(fresh);
  let most = total([fresh, ...old], desiredReplicas) - least - unready;
  if (most <= 0) return sizes;
  const sets = old.toSorted(byCreation);
  const sizeOf = (set: ReplicaSet) => sizes.get(nameOf(set)) ?? desiredReplicas(set);
  // Pods that do not work are no loss.
  for (const set of sets) {
    const idle = Math.min(most, Math.max(0, desiredReplicas(set) - availableOf(set)));
    if (idle <= 0) continue;
    sizes.set(nameOf(set), desiredReplicas(set) - idle);
    most -= idle;
  }
  let spare = total([fresh, ...old], availableOf) - least;
  for (const set of sets) {
    const less = Math.min(sizeOf(set), spare);
    if (less <= 0) continue;
    sizes.set(nameOf(set), sizeOf(set) - less);
    spare -= less;
  }
  return sizes;
}

/** The next step of a deployment that recreates: everything old goes before anything new comes. */
export function recreateStep(fresh: ReplicaSet | undefined, old: readonly ReplicaSet[], replicas: number): Sizes {
  const running = old.filter((set) => desiredReplicas(set) > 0);
  if (running.length > 0) return new Map(running.map((set) => [nameOf(set), 0]));
  return fresh === undefined || desiredReplicas(fresh) === replicas ? new Map() : new Map([[nameOf(fresh), replicas]]);
}
