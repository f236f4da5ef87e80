import type { NovacronVm, Pool } from '#api/novacron/resources';
import type { Replica } from '#platform/runtime/autoscaling/replica-count';
import { limitScale, type ScaleHistory, type ScalingBehavior } from '#platform/runtime/autoscaling/scale-history';
import { boundsOf, isAutoscaled, requestedReplicas } from './limits.ts';
import type { MetricReading } from './metric-reading.ts';
import { isPoolVmActive } from './pool-vm.ts';
import { type MetricStep, proposeReplicas } from './propose-replicas.ts';

/** Number of VMs that a forecast asks for. */
export interface ForecastDemand {
  readonly replicas: number;
  /** False while the forecast is on probation. */
  readonly used: boolean;
  readonly reason: string;
  readonly message: string;
}

export interface ScalingMeasures {
  readonly readings: readonly MetricReading[];
  readonly replicas: readonly Replica[];
  readonly history: ScaleHistory;
}

export interface ScalingInput {
  readonly pool: Pool;
  readonly vms: readonly NovacronVm[];
  /** Metrics that were read for this run. Without them, an autoscaled pool stays as it is. */
  readonly measures?: ScalingMeasures | undefined;
  readonly forecast?: ForecastDemand | undefined;
  readonly now: number;
}

/** Condition without its transition time, which is added when it is written. */
export interface ScalingCondition {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** How the number of VMs follows from the metrics, step by step. */
export interface ScalingSteps {
  readonly metrics: readonly MetricStep[];
  readonly forecast?: ForecastDemand;
  readonly current: number;
  readonly recommended: number;
  /** After recent recommendations were considered. */
  readonly stabilized: number;
  /** After policies and bounds. */
  readonly replicas: number;
  readonly window: string;
  readonly limit: string;
}

/** Number of VMs that a pool should have, with the conditions that explain it. */
export interface ScalingDecision {
  readonly replicas: number;
  readonly active: ScalingCondition;
  readonly limited: ScalingCondition;
  /** Why the number changes. Absent if it does not. */
  readonly reason?: string;
  /** Number that the metrics recommend, for later decisions. Absent if they were not evaluated. */
  readonly recommended?: number;
  readonly steps?: ScalingSteps;
}

const WITHIN = {
  status: 'False',
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
} as const;

/** Decides how many VMs a pool should have. */
export function decideReplicas(input: ScalingInput): ScalingDecision {
  const { pool, measures } = input;
  if (!isAutoscaled(pool)) return decideBySpec(pool);
  const { min, max } = boundsOf(pool);
  const current = pool.status?.desiredReplicas ?? requestedReplicas(pool);
  if (current > max) return decisionWithoutMetrics(pool, max, 'Current number of replicas above spec.maxReplicas');
  if (current < min) return decisionWithoutMetrics(pool, min, 'Current number of replicas below spec.minReplicas');
  return measures === undefined ? decisionWithoutMetrics(pool, current) : decideByMetrics(input, measures, current);
}

function decideBySpec(pool: Pool): ScalingDecision {
  const before = pool.status?.desiredReplicas;
  const replicas = requestedReplicas(pool);
  return {
    replicas,
    active: { status: 'False', reason: 'ScalingDisabled', message: 'spec.autoscaling is not enabled' },
    limited: limitedBySpec(pool, pool.spec.replicas ?? replicas, replicas),
    ...(before === undefined || before === replicas ? {} : { reason: 'spec.replicas changed' }),
  };
}

function limitedBySpec(pool: Pool, requested: number, replicas: number): ScalingCondition {
  if (requested === replicas) return WITHIN;
  const { min, max } = boundsOf(pool);
  const [reason, message] =
    requested < replicas
      ? ['TooFewReplicas', `spec.replicas ${requested} is less than minReplicas ${min}`]
      : ['TooManyReplicas', `spec.replicas ${requested} is more than maxReplicas ${max}`];
  return { status: 'True', reason, message };
}

/** Keeps the conditions of the last evaluation. */
function decisionWithoutMetrics(pool: Pool, replicas: number, reason?: string): ScalingDecision {
  const before = (type: string): ScalingCondition | undefined => {
    const found = pool.status?.conditions?.find((each) => each.type === type);
    return found === undefined
      ? undefined
      : { status: found.status, reason: found.reason ?? '', message: found.message ?? '' };
  };
  const known = before('ScalingActive');
  const waiting = { status: 'Unknown', reason: 'NotEvaluated', message: 'metrics are read every 15 seconds' } as const;
  return {
    replicas,
    active: known === undefined || known.reason === 'ScalingDisabled' ? waiting : known,
    limited: before('ScalingLimited') ?? WITHIN,
    ...(reason === undefined ? {} : { reason }),
  };
}

function decideByMetrics(input: ScalingInput, measures: ScalingMeasures, current: number): ScalingDecision {
  const { pool, forecast, now } = input;
  const vms = input.vms.filter(isPoolVmActive);
  const { replicas, history, readings } = measures;
  const metrics = readings.map((reading) => proposeReplicas(reading, { current, vms, replicas, now }));
  const best = metrics
    .filter(({ proposed }) => proposed !== undefined)
    .toSorted((a, b) => (b.proposed ?? 0) - (a.proposed ?? 0))[0];
  const failed = metrics.find(({ error }) => error !== undefined);
  const raised = forecast?.used === true ? forecast.replicas : 0;
  const wish = Math.max(best?.proposed ?? 0, raised);
  // A metric that cannot be read might need more VMs, so the others cannot reduce them.
  if ((best === undefined && raised <= current) || (failed !== undefined && wish < current)) {
    return failedDecision(pool, metrics, current);
  }
  const { min, max } = boundsOf(pool);
  const limited = limitScale(behaviorOf(pool), wish, { current, min, max }, history, now);
  const { isLimited, ...why } = limited.limited;
  const name = wish > (best?.proposed ?? 0) ? 'the forecast' : best?.metric;
  const changed = wish > current ? `${name} above target` : 'All metrics below target';
  return {
    replicas: limited.replicas,
    recommended: wish,
    active: {
      status: 'True',
      reason: 'ValidMetricFound',
      message: `the desired number of VMs follows from ${name}`,
    },
    limited: { status: isLimited ? 'True' : 'False', ...why },
    steps: {
      metrics,
      ...(forecast === undefined ? {} : { forecast }),
      current,
      recommended: wish,
      stabilized: limited.stable,
      replicas: limited.replicas,
      window: limited.able.reason,
      limit: why.reason,
    },
    ...(limited.replicas === current ? {} : { reason: changed }),
  };
}

function failedDecision(pool: Pool, metrics: readonly MetricStep[], current: number): ScalingDecision {
  const errors = metrics.filter(({ error }) => error !== undefined);
  const message = `${errors.length} of ${metrics.length} metrics cannot be read, so the number of VMs stays; first error: ${errors[0]?.metric}: ${errors[0]?.error}`;
  return { ...decisionWithoutMetrics(pool, current), active: { status: 'False', reason: 'FailedGetMetrics', message } };
}

const DEFAULT_UP = [
  { type: 'Pods', value: 4, periodSeconds: 15 },
  { type: 'Percent', value: 100, periodSeconds: 15 },
];
const DEFAULT_DOWN = [{ type: 'Percent', value: 100, periodSeconds: 15 }];

/** Returns the behavior with the defaults of a HorizontalPodAutoscaler. */
function behaviorOf({ spec }: Pool): ScalingBehavior | undefined {
  const { behavior } = spec.autoscaling ?? {};
  if (behavior === undefined) return undefined;
  const { scaleUp, scaleDown } = behavior;
  const policies = (given: typeof scaleUp, otherwise: typeof DEFAULT_UP) =>
    given?.policies === undefined || given.policies.length === 0 ? otherwise : given.policies;
  return {
    scaleUp: { stabilizationWindowSeconds: 0, ...scaleUp, policies: policies(scaleUp, DEFAULT_UP) },
    scaleDown: { stabilizationWindowSeconds: 300, ...scaleDown, policies: policies(scaleDown, DEFAULT_DOWN) },
  };
}
