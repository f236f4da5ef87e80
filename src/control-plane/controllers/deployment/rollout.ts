import type { ReplicaSet } from '#platform/kube/kinds/workloads';
import { availableOf, byCreation, desiredReplicas, type Limits, total } from './limits.ts';

/** New replica counts by the name of the ReplicaSet. Unchanged sets are left out. */
export type Sizes = ReadonlyMap<string, number>;

const nameOf = ({ metadata }: ReplicaSet) => metadata.name ?? '';

/** Returns the next step of a rolling update: the new set grows as far as allowed, or else old ones shrink. */
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
  const min = replicas - unavailable;
  const unready = desiredReplicas(fresh) - availableOf(fresh);
  let max = total([fresh, ...old], desiredReplicas) - min - unready;
  if (max <= 0) return sizes;
  const sets = old.toSorted(byCreation);
  const sizeOf = (set: ReplicaSet) => sizes.get(nameOf(set)) ?? desiredReplicas(set);
  // Unavailable pods can be deleted without loss.
  for (const set of sets) {
    const idle = Math.min(max, Math.max(0, desiredReplicas(set) - availableOf(set)));
    if (idle <= 0) continue;
    sizes.set(nameOf(set), desiredReplicas(set) - idle);
    max -= idle;
  }
  let spare = total([fresh, ...old], availableOf) - min;
  for (const set of sets) {
    const less = Math.min(sizeOf(set), spare);
    if (less <= 0) continue;
    sizes.set(nameOf(set), sizeOf(set) - less);
    spare -= less;
  }
  return sizes;
}

/** Returns the next step of the Recreate strategy: all old pods are deleted before new ones are created. */
export function recreateStep(fresh: ReplicaSet | undefined, old: readonly ReplicaSet[], replicas: number): Sizes {
  const running = old.filter((set) => desiredReplicas(set) > 0);
  if (running.length > 0) return new Map(running.map((set) => [nameOf(set), 0]));
  return fresh === undefined || desiredReplicas(fresh) === replicas ? new Map() : new Map([[nameOf(fresh), replicas]]);
}
