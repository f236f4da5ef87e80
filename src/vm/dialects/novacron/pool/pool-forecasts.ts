import type { NovacronVm, Pool } from '#api/novacron/resources';
import { parseDuration } from '#platform/base/duration';
import { timestamp } from '#platform/base/timestamp';
import type { Context } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import type { FitRequest } from '#vm/forecast/budgeted-fits';
import { DAY_STEPS, type Forecast, MAX_HORIZON, type TimeSeries } from '#vm/forecast/model';
import { MODELS, type ModelName } from '#vm/forecast/models';
import { NAIVE_MODELS } from '#vm/forecast/naive';
import { NEW_PROBATION, type Probation, qualityOf, withIssued, withScore } from '#vm/forecast/probation';
import type { FinishedSample } from './demand-sampler.ts';
import { leadSteps } from './lead-time.ts';
import { metricName, targetOf } from './metric-reading.ts';
import { type DemandSeries, type PoolHistory, STEP_MS } from './pool-history.ts';
import type { ForecastDemand } from './scaling-decision.ts';
import type { PoolStatus } from './status.ts';

/** Computes fits outside the control loop. */
export interface ForecastFits {
  fit(request: FitRequest, signal: AbortSignal): Promise<unknown>;
}

/** Steps between two fits of a model. Between them, it predicts from newer values. */
const REFIT_STEPS = 12;

interface MetricForecast {
  readonly model: ModelName;
  fitted?: unknown;
  /** Step at which the last fit was requested. */
  requestedAt: number;
}

export interface PoolForecast {
  readonly demand: ForecastDemand;
  readonly status: NonNullable<PoolStatus['forecast']>;
}

const formatHours = (steps: number) => `${Math.floor(steps / 12)} h`;

/** Forecasts the demand of one pool. */
export class PoolForecasts {
  readonly #fits: ForecastFits;
  readonly #metrics = new Map<string, MetricForecast>();
  #latest: PoolForecast | undefined;

  constructor(fits: ForecastFits) {
    this.#fits = fits;
  }

  /** The forecast of the last step. */
  get latest(): PoolForecast | undefined {
    return this.#latest;
  }

  /** Scores what was issued for the steps that are over, and issues the next forecast. Returns the new probation. */
  advance(
    pool: Pool,
    vms: readonly NovacronVm[],
    history: PoolHistory,
    samples: readonly FinishedSample[],
    context: Context,
  ): Readonly<Record<string, Probation>> {
    const probation: Record<string, Probation> = { ...history.probation };
    for (const { metric, at, value, isSaturated } of samples) {
      const step = Math.round(at / STEP_MS);
      probation[metric] = withScore(probation[metric] ?? NEW_PROBATION, step, value, isSaturated);
    }
    const results = (pool.spec.autoscaling?.metrics ?? []).map((metric) => {
      const name = metricName(metric);
      const series = history.demand[name];
      const forecast = series === undefined ? undefined : this.#forecast(pool, name, series, context);
      if (series === undefined || forecast === undefined) return { length: series?.values.length ?? 0 };
      const lead = Math.min(leadSteps(vms), horizonSteps(pool));
      const before = probation[name] ?? NEW_PROBATION;
      const issued = withIssued(before, issuedForecast(series, forecast, lead));
      probation[name] = issued;
      const perVm = Math.max(1, targetOf(metric, pool.spec));
      return { length: series.values.length, forecast, lead, perVm, probation: issued };
    });
    this.#latest = summarize(pool, results, context.clock.now());
    return probation;
  }

  #forecast(pool: Pool, name: string, demand: DemandSeries, context: Context): Forecast | undefined {
    const series = seriesOf(demand);
    if (series.values.length < DAY_STEPS) return undefined;
    const model = modelOf(pool);
    let known = this.#metrics.get(name);
    if (known?.model !== model) {
      known = { model, requestedAt: Number.NEGATIVE_INFINITY };
      this.#metrics.set(name, known);
    }
    const step = series.first + series.values.length;
    if (known.requestedAt + REFIT_STEPS <= step) this.#request(pool, known, series, step, context);
    const steps = Math.min(MAX_HORIZON, horizonSteps(pool));
    return known.fitted === undefined ? undefined : MODELS[model].predict(known.fitted, series, steps);
  }

  #request(pool: Pool, known: MetricForecast, series: TimeSeries, step: number, context: Context): void {
    known.requestedAt = step;
    const request = { model: known.model, series, seed: pool.metadata.uid };
    void this.#fit(known, request, context).catch((error: unknown) => {
      if (!context.signal.aborted) context.log.warn({ key: keyOf(pool), err: error }, 'failed to fit a forecast');
    });
  }

  async #fit(known: MetricForecast, request: FitRequest, context: Context): Promise<void> {
    known.fitted = await this.#fits.fit(request, context.signal);
  }
}

const modelOf = ({ spec }: Pool): ModelName => spec.autoscaling?.predictive?.model ?? 'arima';

function horizonSteps({ spec }: Pool): number {
  const { forecastHorizon = '1h' } = spec.autoscaling?.predictive ?? {};
  return Math.max(1, Math.floor(parseDuration(forecastHorizon) / STEP_MS));
}

const seriesOf = ({ start, values, saturated }: DemandSeries): TimeSeries => ({
  values,
  saturated,
  first: Math.round(start / STEP_MS),
});

function issuedForecast(demand: DemandSeries, { mean, upper }: Forecast, lead: number) {
  const series = seriesOf(demand);
  const at = Math.min(lead, mean.length) - 1;
  const naive = NAIVE_MODELS.map((model) => model.predict([], series, lead).mean[at] ?? 0);
  return { step: series.first + series.values.length + at, mean: mean[at] ?? 0, upper: upper[at] ?? 0, naive };
}

interface MetricResult {
  readonly length: number;
  readonly forecast?: Forecast;
  readonly lead?: number;
  readonly perVm?: number;
  readonly probation?: Probation;
}

/** Combines the forecasts of all metrics: the highest number of VMs counts, among those that may be used. */
function summarize(pool: Pool, results: readonly MetricResult[], now: number): PoolForecast {
  const model = modelOf(pool);
  const complete = results.filter(({ forecast }) => forecast !== undefined);
  if (complete.length === 0) {
    const length = Math.max(0, ...results.map((each) => each.length));
    const message =
      length < DAY_STEPS
        ? `a forecast needs 24 h of demand, and ${formatHours(length)} are known`
        : 'the model is being fitted';
    return { demand: { replicas: 0, used: false, reason: 'NoForecast', message }, status: { model, message } };
  }
  const needs = complete.map((each) => needOf(each, now));
  const [most] = needs.toSorted((a, b) => Number(b.used) - Number(a.used) || b.replicas - a.replicas);
  const { replicas = 0, used = false, peakAt = now, peakReplicas = 0, quality } = most ?? {};
  const [reason, message] = used
    ? ['BetterThanNaive', 'the forecast is better than the naive forecasts and raises the number of VMs']
    : ['OnProbation', 'the forecast is not used until it is better than the naive forecasts'];
  return {
    demand: { replicas, used, reason, message },
    status: {
      model,
      generatedAt: timestamp(now),
      peakAt: timestamp(peakAt),
      peakReplicas,
      ...quality,
      ...(used ? {} : { message }),
    },
  };
}

function needOf({ forecast, lead = 1, perVm = 1, probation = NEW_PROBATION }: MetricResult, now: number) {
  const { upper = [] } = forecast ?? {};
  const peak = Math.max(...upper);
  return {
    replicas: Math.ceil(Math.max(...upper.slice(0, lead)) / perVm),
    used: probation.used,
    peakAt: now + (upper.indexOf(peak) + 1) * STEP_MS,
    peakReplicas: Math.ceil(peak / perVm),
    quality: qualityOf(probation),
  };
}
