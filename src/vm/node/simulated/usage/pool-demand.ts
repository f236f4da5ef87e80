import { POOL_LABEL } from '#api/novacron/pool-words';
import { conditionOf } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Index } from '#platform/runtime/cache';
import { keyIn } from '#platform/runtime/key';

/**
 * Annotation with the load that arrives at a pool, as a profile in cores. Its ready VMs share it, so that scaling out
 * lowers the load of each VM, unlike a profile of each VM.
 */
export const CPU_DEMAND = 'vimana.io/cpu-demand';

/** Returns the pool of a launcher pod, or undefined if it has none. */
export function poolKeyOf({ metadata }: Pod): string | undefined {
  const pool = metadata.labels?.[POOL_LABEL];
  return pool === undefined ? undefined : keyIn(metadata.namespace, pool);
}

/** Indexes the pods that share the load of a pool: those that run and are ready. */
export const servingPods: Index<Pod> = {
  values: (pod) => {
    const pool = poolKeyOf(pod);
    return pool !== undefined && isServing(pod) ? [pool] : [];
  },
};

export function isServing({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined || status?.phase !== 'Running') return false;
  return conditionOf(status.conditions, 'Ready')?.status === 'True';
}

/** Returns how many cores a VM uses of the demand of its pool. What is more than its size waits, as on a real VM. */
export function sharedCores(demand: number, serving: number, cores: number): number {
  return serving === 0 ? 0 : Math.min(cores, demand / serving);
}
