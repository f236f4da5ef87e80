import { historyName } from '#api/novacron/pool-words';
import type { NovacronVm, Pool } from '#api/novacron/resources';
import { timestamp } from '#platform/base/timestamp';
import { type Condition, withTransitionTime } from '#vm/engine/condition';
import type { PoolPlan } from './plan-pool.ts';
import type { PoolForecast } from './pool-forecasts.ts';
import { isPoolVmActive, isReady, revisionOf } from './pool-vm.ts';
import { selectorOf } from './selector.ts';

export type PoolStatus = NonNullable<Pool['status']>;

/** A VM that could not be created or deleted. */
export interface PoolFailure {
  readonly reason: string;
  readonly message: string;
}

export interface PoolStatusInput {
  readonly pool: Pool;
  readonly vms: readonly NovacronVm[];
  readonly plan: PoolPlan;
  readonly failure: PoolFailure | undefined;
  readonly forecast?: PoolForecast | undefined;
  readonly isForeign?: boolean | undefined;
  readonly now: number;
}

/** Most VMs that the status lists, so that a large pool does not exceed the size of an object. */
const MAX_LISTED = 1000;

/** Returns the whole status of a pool. */
export function poolStatus(input: PoolStatusInput): PoolStatus {
  const { pool, vms, plan, forecast, now } = input;
  const { decision, rollout } = plan;
  const active = vms.filter(isPoolVmActive);
  const { collisionCount, lastScaleTime } = pool.status ?? {};
  const scaledAt = decision.reason === undefined ? lastScaleTime : timestamp(now);
  return {
    observedGeneration: pool.metadata.generation,
    replicas: active.length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: rollout.available,
    unavailableReplicas: Math.max(0, decision.replicas - rollout.available),
    updatedReplicas: active.filter((vm) => revisionOf(vm) === plan.updateRevision).length,
    desiredReplicas: decision.replicas,
    selector: selectorOf(pool).toString(),
    currentRevision: plan.currentRevision,
    updateRevision: plan.updateRevision,
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(scaledAt === undefined ? {} : { lastScaleTime: scaledAt }),
    ...forecastStatus(pool, forecast),
    vms: active
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      .slice(0, MAX_LISTED)
      .map(({ metadata, status }) => ({
        name: metadata.name,
        phase: status?.phase ?? 'Pending',
        ...(status?.nodeName === undefined ? {} : { node: status.nodeName }),
      })),
    conditions: conditionsOf(input),
  };
}

/** The forecast is written with its demand: every five minutes, and not in between. */
function forecastStatus({ spec, status }: Pool, forecast: PoolForecast | undefined): Pick<PoolStatus, 'forecast'> {
  if (spec.autoscaling?.enabled !== true || spec.autoscaling.predictive?.enabled !== true) return {};
  const reported = forecast?.status ?? status?.forecast;
  return reported === undefined ? {} : { forecast: reported };
}

function conditionsOf({ pool, plan, failure, vms, forecast, isForeign, now }: PoolStatusInput): Condition[] {
  const { decision } = plan;
  const drafts = [
    availableCondition(plan),
    progressingCondition(pool, plan, vms.filter(isPoolVmActive).length),
    { type: 'ScalingActive', ...decision.active },
    { type: 'ScalingLimited', ...decision.limited },
    ...forecastCondition(pool, forecast, isForeign === true),
    ...(failure === undefined ? [] : [{ type: 'ReplicaFailure', status: 'True' as const, ...failure }]),
  ];
  return drafts.map((draft) => withTransitionTime(pool.status?.conditions, draft, timestamp(now)));
}

function forecastCondition(pool: Pool, forecast: PoolForecast | undefined, isForeign: boolean): Draft[] {
  const { autoscaling } = pool.spec;
  if (autoscaling?.enabled !== true || autoscaling.predictive?.enabled !== true) return [];
  if (isForeign) {
    const message = `ConfigMap ${historyName(pool.metadata.name)} belongs to somebody else, so the demand is forgotten at a restart of the operator: delete or rename it`;
    return [{ type: 'ForecastUsed', status: 'False', reason: 'HistoryTaken', message }];
  }
  const before = pool.status?.conditions?.find(({ type }) => type === 'ForecastUsed');
  if (forecast === undefined && before !== undefined) {
    return [
      { type: 'ForecastUsed', status: before.status, reason: before.reason ?? '', message: before.message ?? '' },
    ];
  }
  const { used = false, reason = 'NoForecast', message = 'no demand is known yet' } = forecast?.demand ?? {};
  return [{ type: 'ForecastUsed', status: used ? 'True' : 'False', reason, message }];
}

type Draft = Omit<Condition, 'lastTransitionTime'>;

function availableCondition({ decision, rollout, limits }: PoolPlan): Draft {
  const least = decision.replicas - (limits.recreate ? 0 : limits.unavailable);
  return rollout.available >= least
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'the pool has its minimum number of available VMs',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: `fewer than ${least} VMs are available`,
      };
}

/** Numbers are left to the counts of the status, so that the message changes only with the state. */
function progressingCondition(
  pool: Pool,
  { decision, rollout, currentRevision, updateRevision }: PoolPlan,
  active: number,
): Draft {
  const say = (status: Condition['status'], reason: string, message: string): Draft => ({
    type: 'Progressing',
    status,
    reason,
    message,
  });
  if (pool.spec.paused) return say('Unknown', 'PoolPaused', 'spec.paused is true: template changes wait');
  if (rollout.stale.length > 0)
    return say('True', 'RollingOut', `VMs are being replaced by revision ${updateRevision}`);
  if (active !== decision.replicas) return say('True', 'Scaling', 'VMs are being created or deleted');
  if (rollout.available < decision.replicas) return say('True', 'WaitingForVMs', 'VMs are not available yet');
  return currentRevision === updateRevision
    ? say('True', 'PoolUpdated', `all VMs have revision ${updateRevision}`)
    : say(
        'True',
        'PartitionReached',
        `VMs above spec.updateStrategy.rollingUpdate.partition have revision ${updateRevision}`,
      );
}
