import type { NovacronVm, Pool } from '#api/novacron/resources';
import { parseDuration } from '#platform/base/duration';
import { remember } from '#platform/runtime/autoscaling/scale-history';
import type { Context } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import { DemandSampler } from './demand-sampler.ts';
import { loadHistory, type StoredHistory, saveHistory } from './history-store.ts';
import { isAutoscaled, requestedReplicas } from './limits.ts';
import { replicaOf } from './metric-reading.ts';
import { type ForecastFits, type PoolForecast, PoolForecasts } from './pool-forecasts.ts';
import { EMPTY_HISTORY, type PoolHistory, STEP_MS, withSample } from './pool-history.ts';
import { type InstanceUsage, instanceOf, readMetrics } from './read-metrics.ts';
import type { ScalingDecision, ScalingMeasures } from './scaling-decision.ts';

/** Time between two looks at the metrics of a pool, as a HorizontalPodAutoscaler has by default. */
const PERIOD_MS = 15_000;

interface AutoscalerEntry {
  readonly uid: string;
  readonly sampler: DemandSampler;
  readonly forecasts: PoolForecasts;
  /** Samples were added since the history was last written. */
  hasNewSamples: boolean;
  at: number;
  generation: number | undefined;
  stored: StoredHistory;
  history: PoolHistory;
}

export interface Measured {
  readonly measures?: ScalingMeasures;
  /** Time until the metrics are due. Absent without autoscaling. */
  readonly againMs?: number;
  /** Forecast of predictive scaling, once there is one or a reason why not. */
  readonly forecast?: PoolForecast;
  /** Somebody else's ConfigMap has the name of the history, which is then lost with the operator. */
  readonly isForeign?: boolean;
}

/** Reads the metrics of autoscaled pools, and remembers what later decisions need. */
export class PoolAutoscaler {
  readonly #usage: InstanceUsage | undefined;
  readonly #fits: ForecastFits;
  readonly #entries = new Map<string, AutoscalerEntry>();

  constructor(usage: InstanceUsage | undefined, fits: ForecastFits) {
    this.#usage = usage;
    this.#fits = fits;
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  /** Reads the metrics of a pool if they are due. */
  async measure(pool: Pool, vms: readonly NovacronVm[], context: Context): Promise<Measured> {
    if (!isAutoscaled(pool)) {
      this.forget(keyOf(pool));
      return {};
    }
    const now = context.clock.now();
    const entry = await this.#entryOf(pool, context);
    const isForeign = entry.stored.state === 'foreign';
    if (entry.at + PERIOD_MS > now && entry.generation === pool.metadata.generation) {
      return { againMs: entry.at + PERIOD_MS - now, isForeign, ...this.#forecastOf(entry, pool) };
    }
    if (entry.history.scale.recommendations.length === 0) {
      const recommendation = pool.status?.desiredReplicas ?? requestedReplicas(pool);
      entry.history = { ...entry.history, scale: remember(entry.history.scale, { recommendation }, now) };
    }
    entry.at = now;
    entry.generation = pool.metadata.generation;
    const readings = await readMetrics(pool, vms, this.#usage, context);
    const replicas = vms.map((vm) => {
      const started = instanceOf(vm, context)?.metadata.creationTimestamp;
      return replicaOf(vm, started ?? undefined);
    });
    if (isPredictive(pool)) {
      this.#advance(entry, pool, vms, context);
      entry.sampler.add(readings, vms, now);
    }
    const measures = { readings, replicas, history: entry.history.scale };
    return { measures, againMs: PERIOD_MS, isForeign, ...this.#forecastOf(entry, pool) };
  }

  /**
   * Remembers a decision. The history is written when the number of VMs changes, and with predictive scaling at most
   * once in five minutes. What is not written is lost at a restart, where the present number counts as recommended.
   */
  async remember(pool: Pool, decision: ScalingDecision, context: Context): Promise<void> {
    const entry = this.#entries.get(keyOf(pool));
    if (entry === undefined) return;
    const now = context.clock.now();
    const before = pool.status?.desiredReplicas;
    const { recommended, reason, steps } = decision;
    const change = reason === undefined || before === undefined ? undefined : decision.replicas - before;
    const noted = {
      ...(recommended === undefined ? {} : { recommendation: recommended }),
      ...(change === undefined ? {} : { change }),
    };
    entry.history = {
      ...entry.history,
      scale: remember(entry.history.scale, noted, now),
      ...(change === undefined || steps === undefined ? {} : { steps }),
    };
    if (change === undefined && !entry.hasNewSamples) return;
    entry.hasNewSamples = false;
    entry.stored = await saveHistory(context.client, pool, entry.stored, entry.history);
  }

  /** Adds the demand of steps that are over, and issues the next forecast. */
  #advance(entry: AutoscalerEntry, pool: Pool, vms: readonly NovacronVm[], context: Context): void {
    const samples = entry.sampler.finished(context.clock.now());
    if (samples.length === 0) return;
    const maxSteps = Math.ceil(lookbackMs(pool) / STEP_MS);
    const demand = { ...entry.history.demand };
    for (const { metric, ...sample } of samples) demand[metric] = withSample(demand[metric], sample, maxSteps);
    const history = { ...entry.history, demand };
    const probation = entry.forecasts.advance(pool, vms, history, samples, context);
    entry.history = { ...history, probation };
    entry.hasNewSamples = true;
  }

  #forecastOf({ forecasts }: AutoscalerEntry, pool: Pool): Pick<Measured, 'forecast'> {
    const { latest } = forecasts;
    return isPredictive(pool) && latest !== undefined ? { forecast: latest } : {};
  }

  async #entryOf(pool: Pool, { client }: Context): Promise<AutoscalerEntry> {
    const key = keyOf(pool);
    const known = this.#entries.get(key);
    if (known?.uid === pool.metadata.uid) return known;
    const stored = await loadHistory(client, pool);
    const history = stored.state === 'own' ? stored.history : EMPTY_HISTORY;
    const at = Number.NEGATIVE_INFINITY;
    const sampler = new DemandSampler();
    const forecasts = new PoolForecasts(this.#fits);
    const shared = { uid: pool.metadata.uid, sampler, forecasts, stored, history };
    const entry: AutoscalerEntry = { ...shared, at, generation: undefined, hasNewSamples: false };
    this.#entries.set(key, entry);
    return entry;
  }
}

const isPredictive = ({ spec }: Pool): boolean => spec.autoscaling?.predictive?.enabled === true;

const lookbackMs = ({ spec }: Pool): number => parseDuration(spec.autoscaling?.predictive?.lookbackWindow ?? '7d');
