import type { NovacronVm, Pool } from '#api/novacron/resources';
import { milliValue, parseQuantity } from '#platform/base/quantity';
import type { Measurements, Replica } from '#platform/runtime/autoscaling/replica-count';

export type PoolMetric = NonNullable<NonNullable<Pool['spec']['autoscaling']>['metrics']>[number];

/** Reading of one metric of a pool, in thousandths: a value of each VM, one value for all, or why none. */
export type MetricReading = { readonly metric: PoolMetric; readonly name: string } & (
  | { readonly kind: 'each'; readonly measurements: Measurements }
  | { readonly kind: 'total'; readonly value: number }
  | { readonly kind: 'failed'; readonly message: string }
);

/** Name of a metric, for people and for the history. */
export const metricName = ({ type, metric }: PoolMetric): string => (type === 'custom' ? (metric?.name ?? '') : type);

/** Returns what one VM may have of a metric when it meets its target, in thousandths. */
export function targetOf(metric: PoolMetric, vm: Pick<NovacronVm['spec'], 'template'>): number {
  if (metric.type === 'custom') return milliValue(parseQuantity(metric.targetValue ?? '1'));
  return Math.trunc((sizeOf(metric.type, vm) * (metric.targetAverageUtilization ?? 100)) / 100);
}

/** Returns the size of a VM in thousandths. Percentages are of the guest, not of what its pod requests. */
export function sizeOf(type: 'cpu' | 'memory', { template }: Pick<NovacronVm['spec'], 'template'>): number {
  const { cpu, memory } = template.spec.resources;
  return type === 'cpu' ? cpu * 1000 : milliValue(parseQuantity(memory));
}

const PHASES: Readonly<Record<string, string>> = {
  Running: 'Running',
  Migrating: 'Running',
  Failed: 'Failed',
  Stopped: 'Failed',
};

/** Returns a VM in the terms of a pod, which the arithmetic of a HorizontalPodAutoscaler is about. */
export function replicaOf({ metadata, status }: NovacronVm, startTime: string | undefined): Replica {
  const { name, deletionTimestamp } = metadata;
  return {
    metadata: { name, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    status: {
      phase: PHASES[status?.phase ?? ''] ?? 'Pending',
      ...(startTime === undefined ? {} : { startTime }),
      conditions: status?.conditions ?? [],
    },
  };
}
