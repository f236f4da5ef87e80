import type { NovacronVm } from '#api/novacron/resources';
import { type MetricReading, sizeOf } from './metric-reading.ts';
import { STEP_MS } from './pool-history.ts';

interface Bucket {
  readonly at: number;
  sum: number;
  count: number;
  saturated: number;
}

export interface FinishedSample {
  readonly metric: string;
  readonly at: number;
  readonly value: number;
  readonly isSaturated: boolean;
}

/** Ratio of the size of all VMs above which a demand may be higher than what was measured. */
const SATURATION = 0.95;

/** Averages the demand of a pool over steps of five minutes. */
export class DemandSampler {
  readonly #buckets = new Map<string, Bucket>();
  #finished: FinishedSample[] = [];

  add(readings: readonly MetricReading[], vms: readonly NovacronVm[], now: number): void {
    const at = Math.floor(now / STEP_MS) * STEP_MS;
    for (const reading of readings) {
      if (reading.kind === 'failed') continue;
      const bucket = this.#bucketOf(reading.name, at);
      bucket.sum += demandOf(reading);
      bucket.count += 1;
      if (isSaturated(reading, vms)) bucket.saturated += 1;
    }
  }

  /** Returns the averages of the steps that are over, once. */
  finished(now: number): FinishedSample[] {
    const at = Math.floor(now / STEP_MS) * STEP_MS;
    for (const [metric, bucket] of this.#buckets) if (bucket.at < at) this.#finish(metric, bucket);
    const found = this.#finished;
    this.#finished = [];
    return found;
  }

  #bucketOf(metric: string, at: number): Bucket {
    const known = this.#buckets.get(metric);
    if (known?.at === at) return known;
    if (known !== undefined) this.#finish(metric, known);
    const bucket = { at, sum: 0, count: 0, saturated: 0 };
    this.#buckets.set(metric, bucket);
    return bucket;
  }

  #finish(metric: string, { at, sum, count, saturated }: Bucket): void {
    this.#buckets.delete(metric);
    if (count === 0) return;
    this.#finished.push({ metric, at, value: Math.round(sum / count), isSaturated: saturated * 2 > count });
  }
}

function demandOf(reading: Exclude<MetricReading, { kind: 'failed' }>): number {
  if (reading.kind === 'total') return reading.value;
  return [...reading.measurements.values()].reduce((sum, { value }) => sum + value, 0);
}

/** Only CPU is limited by the size of the VMs. Memory that is full is an error of the guest. */
function isSaturated(reading: MetricReading, vms: readonly NovacronVm[]): boolean {
  if (reading.kind !== 'each' || reading.metric.type !== 'cpu') return false;
  const measured = vms.filter(({ metadata }) => reading.measurements.has(metadata.name));
  const size = measured.reduce((sum, vm) => sum + sizeOf('cpu', vm.spec), 0);
  return size > 0 && demandOf(reading) >= SATURATION * size;
}
