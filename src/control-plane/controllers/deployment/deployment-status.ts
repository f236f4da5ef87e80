import { timestamp } from '#platform/base/timestamp';
import { conditionOf, type KubeCondition } from '#platform/kube/kinds/condition';
import type { Deployment, ReplicaSet } from '#platform/kube/kinds/workloads';
import { availableOf, desiredReplicas, limitsOf, total } from './limits.ts';

type Status = NonNullable<Deployment['status']>;

/** Result of the reconciliation that ends with this status. */
export interface RolloutResult {
  readonly created?: string;
}

/** Returns the status of a Deployment and the time until its rollout exceeds the progress deadline. */
export function deploymentStatus(
  deployment: Deployment,
  fresh: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  now: number,
  done: RolloutResult = {},
): { readonly status: Status; readonly lateInMs: number | undefined } {
  const all = fresh === undefined ? old : [fresh, ...old];
  const counted = counts(deployment, fresh, all);
  const available = availability(deployment, counted.availableReplicas);
  let conditions = set(deployment.status?.conditions ?? [], available, now);
  const progress = progressOf(deployment, counted, fresh, conditions, now, done);
  if (progress !== undefined) conditions = set(conditions, progress, now);
  const failure = all.map(({ status }) => conditionOf(status?.conditions, 'ReplicaFailure')).find(Boolean);
  conditions =
    failure === undefined ? conditions.filter(({ type }) => type !== 'ReplicaFailure') : set(conditions, failure, now);
  const { collisionCount } = deployment.status ?? {};
  return {
    status: {
      ...Object.fromEntries(Object.entries(counted).filter(([, count]) => count !== 0)),
      terminatingReplicas: total(all, ({ status }) => status?.terminatingReplicas ?? 0),
      ...(collisionCount === undefined ? {} : { collisionCount }),
      conditions,
    },
    lateInMs: lateIn(deployment, conditions, now),
  };
}

function counts({ metadata }: Deployment, fresh: ReplicaSet | undefined, all: readonly ReplicaSet[]) {
  const availableReplicas = total(all, availableOf);
  return {
    observedGeneration: metadata.generation ?? 0,
    replicas: total(all, ({ status }) => status?.replicas ?? 0),
    updatedReplicas: fresh?.status?.replicas ?? 0,
    readyReplicas: total(all, ({ status }) => status?.readyReplicas ?? 0),
    availableReplicas,
    unavailableReplicas: Math.max(0, total(all, desiredReplicas) - availableReplicas),
  };
}

function availability(deployment: Deployment, available: number): KubeCondition {
  const { replicas, unavailable } = limitsOf(deployment);
  return available >= replicas - unavailable
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

/** Reports whether all pods are of the newest template and available. */
export function isComplete(
  { spec }: Deployment,
  { replicas = 0, updatedReplicas = 0, availableReplicas = 0 }: Status,
): boolean {
  const { replicas: desired = 1 } = spec;
  return updatedReplicas === desired && replicas === desired && availableReplicas === desired;
}

function progressOf(
  deployment: Deployment,
  status: ReturnType<typeof counts>,
  fresh: ReplicaSet | undefined,
  conditions: readonly KubeCondition[],
  now: number,
  { created }: RolloutResult,
): KubeCondition | undefined {
  const before = conditionOf(conditions, 'Progressing');
  const { paused = false } = deployment.spec;
  const about =
    fresh === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${fresh.metadata.name}"`;
  const say = (status: KubeCondition['status'], reason: string, message: string): KubeCondition => ({
    type: 'Progressing',
    status,
    reason,
    message,
  });
  if (paused) {
    return before?.reason === 'DeploymentPaused'
      ? undefined
      : say('Unknown', 'DeploymentPaused', 'Deployment is paused');
  }
  if (created !== undefined) return say('True', 'NewReplicaSetCreated', `Created new replica set "${created}"`);
  if (before?.reason === 'DeploymentPaused') return say('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  if (status.replicas === status.updatedReplicas && before?.reason === 'NewReplicaSetAvailable') return undefined;
  if (isComplete(deployment, status))
    return say('True', 'NewReplicaSetAvailable', `${about} has successfully progressed.`);
  if (isProgressing(deployment.status ?? {}, status))
    return say('True', 'ReplicaSetUpdated', `${about} is progressing.`);
  const late = lateIn(deployment, conditions, now);
  if (late !== undefined && late <= 0)
    return say('False', 'ProgressDeadlineExceeded', `${about} has timed out progressing.`);
  if (before === undefined && fresh !== undefined)
    return say('True', 'FoundNewReplicaSet', `Found new replica set "${fresh.metadata.name}"`);
  return undefined;
}

function isProgressing(before: Status, now: ReturnType<typeof counts>): boolean {
  const { updatedReplicas = 0, replicas = 0, readyReplicas = 0, availableReplicas = 0 } = before;
  return (
    now.updatedReplicas > updatedReplicas ||
    now.replicas - now.updatedReplicas < replicas - updatedReplicas ||
    now.readyReplicas > readyReplicas ||
    now.availableReplicas > availableReplicas
  );
}

/** Returns how long a rollout in progress may still take without progress, undefined if there is none. */
function lateIn({ spec }: Deployment, conditions: readonly KubeCondition[], now: number): number | undefined {
  const progress = conditionOf(conditions, 'Progressing');
  const { progressDeadlineSeconds = 600, paused = false } = spec;
  if (progress === undefined || paused || progressDeadlineSeconds >= 2 ** 31 - 1) return undefined;
  if (progress.reason === 'NewReplicaSetAvailable' || progress.reason === 'ProgressDeadlineExceeded') return undefined;
  return Date.parse(progress.lastUpdateTime ?? '') + progressDeadlineSeconds * 1000 - now;
}

/** Sets a condition. An equal one is left unchanged, unless it reports progress. */
function set(conditions: readonly KubeCondition[], condition: KubeCondition, now: number): KubeCondition[] {
  const before = conditionOf(conditions, condition.type);
  const time = timestamp(now);
  if (
    before?.status === condition.status &&
    before.reason === condition.reason &&
    condition.reason !== 'ReplicaSetUpdated'
  ) {
    return [...conditions];
  }
  const { type, status, reason, message } = condition;
  const since = before?.status === status ? (before.lastTransitionTime ?? time) : time;
  const next = {
    type,
    status,
    lastUpdateTime: time,
    lastTransitionTime: since,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
  return [...conditions.filter((each) => each.type !== type), next];
}
