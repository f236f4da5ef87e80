import type { Pool } from '#api/novacron/resources';
import { boundsOf } from '#vm/dialects/novacron/pool/limits';
import type { PoolHistory } from '#vm/dialects/novacron/pool/pool-history';
import { formatTable } from '../format-table.ts';

/** Explains the number of VMs of a pool: by metric, window, policy and bound. */
export function explainPool(pool: Pool, { steps }: PoolHistory): string {
  const { status } = pool;
  const condition = (type: string) => status?.conditions?.find((each) => each.type === type);
  const { min, max } = boundsOf(pool);
  const most = max === Number.POSITIVE_INFINITY ? 'none' : `${max}`;
  const lines = [
    `${pool.metadata.name} should have ${status?.desiredReplicas ?? '?'} VMs and has ${status?.replicas ?? 0}, ${status?.readyReplicas ?? 0} of them ready.`,
    `Bounds: at least ${min}, at most ${most}.`,
    ...['ScalingActive', 'ScalingLimited', 'ForecastUsed', 'ReplicaFailure'].flatMap((type) => {
      const found = condition(type);
      return found === undefined ? [] : [`${type} ${found.status}: ${found.message} (${found.reason})`];
    }),
  ];
  if (steps === undefined) return `${lines.join('\n')}\n`;
  const rows = steps.metrics.map(({ metric, value = '', target, proposed, error = '' }) => [
    metric,
    value,
    target,
    proposed === undefined ? error : `${proposed}`,
  ]);
  const chain = [
    `recommended ${steps.recommended}`,
    `after the window ${steps.stabilized} (${steps.window})`,
    `after policies and bounds ${steps.replicas} (${steps.limit})`,
  ];
  const table = formatTable(['METRIC', 'VALUE', 'TARGET', 'PROPOSED VMS'], rows);
  return `${lines.join('\n')}\n\nLast change, from ${steps.current} to ${steps.replicas}:\n${table}${chain.join(', then ')}\n`;
}
