import type { ScaleHistory } from '#platform/runtime/autoscaling/scale-history';
import type { Probation } from '#vm/forecast/probation';
import type { ScalingSteps } from './scaling-decision.ts';

/** Demand for one metric in steps of five minutes, the sum over all VMs in thousandths. */
export interface DemandSeries {
  /** Start of the first step, in milliseconds since the Unix epoch. */
  readonly start: number;
  readonly values: readonly number[];
  /** Steps in which the VMs had no more to give, so that the demand was at least the value. */
  readonly saturated: readonly number[];
}

/** State of the autoscaler of a pool that survives restarts of the operator. */
export interface PoolHistory {
  readonly scale: ScaleHistory;
  readonly demand: Readonly<Record<string, DemandSeries>>;
  /** How good the forecasts of each metric were. */
  readonly probation?: Readonly<Record<string, Probation>>;
  /** How the last change of the number of VMs was decided. */
  readonly steps?: ScalingSteps;
}

export const EMPTY_HISTORY: PoolHistory = { scale: { recommendations: [], changes: [] }, demand: {} };

export const STEP_MS = 300_000;

interface Sample {
  /** Start of the step. */
  readonly at: number;
  readonly value: number;
  readonly isSaturated: boolean;
}

/** Adds the demand of a finished step. Steps that were missed repeat the last value; a long gap begins a new series. */
export function withSample(series: DemandSeries | undefined, sample: Sample, maxSteps: number): DemandSeries {
  const fresh = { start: sample.at, values: [sample.value], saturated: sample.isSaturated ? [0] : [] };
  if (series === undefined) return fresh;
  const index = Math.round((sample.at - series.start) / STEP_MS);
  const missed = index - series.values.length;
  if (missed < 0 || missed > MAX_MISSED_STEPS) return missed < 0 ? series : fresh;
  const last = series.values.at(-1) ?? sample.value;
  const values = [...series.values, ...Array.from({ length: missed }, () => last), sample.value];
  const saturated = sample.isSaturated ? [...series.saturated, index] : series.saturated;
  const dropped = Math.max(0, values.length - maxSteps);
  return {
    start: series.start + dropped * STEP_MS,
    values: values.slice(dropped),
    saturated: saturated.filter((each) => each >= dropped).map((each) => each - dropped),
  };
}

/** An hour without samples, after which the past says little. */
const MAX_MISSED_STEPS = 12;

export const formatHistory = (history: PoolHistory): string => JSON.stringify(history);

/** Reads a history. Text that is none, for example after an edit, counts as empty. */
export function parseHistory(text: string | undefined): PoolHistory {
  try {
    const { scale, demand, steps, probation } = JSON.parse(text ?? '') as Partial<PoolHistory>;
    if (!isScale(scale) || typeof demand !== 'object' || !Object.values(demand).every(isSeries)) return EMPTY_HISTORY;
    return {
      scale,
      demand,
      ...(steps === undefined ? {} : { steps }),
      ...(isProbation(probation) ? { probation } : {}),
    };
  } catch {
    return EMPTY_HISTORY;
  }
}

function isProbation(found: PoolHistory['probation']): found is NonNullable<PoolHistory['probation']> {
  if (typeof found !== 'object') return false;
  return Object.values(found).every(
    ({ issued, naive, error, total, covered, weight, scored }) =>
      Array.isArray(issued) && areNumbers(naive) && areNumbers([error, total, covered, weight, scored]),
  );
}

const areNumbers = (values: unknown): boolean => Array.isArray(values) && values.every(Number.isFinite);

function isScale(scale: Partial<ScaleHistory> | undefined): scale is ScaleHistory {
  const { recommendations, changes } = scale ?? {};
  if (!Array.isArray(recommendations) || !Array.isArray(changes)) return false;
  return (
    recommendations.every(({ replicas, at }) => areNumbers([replicas, at])) &&
    changes.every(({ by, at }) => areNumbers([by, at]))
  );
}

const isSeries = ({ start, values, saturated }: Partial<DemandSeries>): boolean =>
  areNumbers([start]) && areNumbers(values) && areNumbers(saturated);
