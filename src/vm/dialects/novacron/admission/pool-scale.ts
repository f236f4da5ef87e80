import type { VMPool } from '#api/novacron/vm-pool';

/** Returns warnings for a write of the scale of a pool. Its bounds are rules of the schema, which every server applies. */
export function poolScaleWarnings(pool: Pick<VMPool, 'spec'> | undefined): string[] {
  if (pool?.spec.autoscaling?.enabled !== true) return [];
  return [
    'the pool is autoscaled: spec.replicas is only its initial number of VMs, and status.desiredReplicas follows its metrics; to scale it yourself, set spec.autoscaling.enabled to false',
  ];
}
