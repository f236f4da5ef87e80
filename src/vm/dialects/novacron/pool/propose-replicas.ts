import type { NovacronVm } from '#api/novacron/resources';
import { milliValue, parseQuantity } from '#platform/base/quantity';
import {
  type Replica,
  replicasForAverage,
  replicasForShare,
  replicasForUtilization,
} from '#platform/runtime/autoscaling/replica-count';
import { type MetricReading, sizeOf } from './metric-reading.ts';

/** Deviation from a target that causes no change, as kube-controller-manager has by default. */
const TOLERANCES = { up: 0.1, down: 0.1 };

export interface ProposalInput {
  readonly current: number;
  readonly vms: readonly NovacronVm[];
  readonly replicas: readonly Replica[];
  readonly now: number;
}

/** Number of VMs that one metric proposes, and what it is derived from. */
export interface MetricStep {
  readonly metric: string;
  /** Present value, as a percentage or an amount for each VM. */
  readonly value?: string;
  readonly target: string;
  readonly proposed?: number;
  readonly error?: string;
}

/** Proposes a number of VMs by one metric, exactly as a HorizontalPodAutoscaler would for pods. */
export function proposeReplicas(reading: MetricReading, input: ProposalInput): MetricStep {
  const { metric, name } = reading;
  const { targetAverageUtilization = 100, targetValue = '1' } = metric;
  const target = metric.type === 'custom' ? `${targetValue}` : `${targetAverageUtilization}%`;
  if (reading.kind === 'failed') return { metric: name, target, error: reading.message };
  try {
    return { metric: name, target, ...proposalFor(reading, input) };
  } catch (error) {
    return { metric: name, target, error: (error as Error).message };
  }
}

function proposalFor(
  reading: Exclude<MetricReading, { kind: 'failed' }>,
  { current, vms, replicas, now }: ProposalInput,
): { readonly proposed: number; readonly value: string } {
  const { type, targetAverageUtilization = 100, targetValue = '1' } = reading.metric;
  const target = milliValue(parseQuantity(targetValue));
  if (reading.kind === 'total') {
    const proposed = replicasForShare(vms.length, reading.value, target, TOLERANCES);
    return { proposed, value: formatMilli(vms.length === 0 ? reading.value : reading.value / vms.length) };
  }
  const { measurements } = reading;
  const sizing = { current, pods: replicas, measurements, tolerances: TOLERANCES, now };
  if (type === 'custom') {
    const { replicas: proposed, average } = replicasForAverage(sizing, target);
    return { proposed, value: formatMilli(average) };
  }
  const requests = new Map(vms.map((vm) => [vm.metadata.name, sizeOf(type, vm.spec)]));
  const found = replicasForUtilization({ ...sizing, resource: type }, requests, targetAverageUtilization);
  return { proposed: found.replicas, value: `${found.utilization}%` };
}

const formatMilli = (milli: number): string => `${Math.round(milli) / 1000}`;
