import type { NovacronVm, Pool } from '#api/novacron/resources';
import type { ControllerRevision } from '#platform/kube/kinds/workloads';
import { REVISION_HASH } from '#platform/runtime/revisions/revision-history';
import { type PoolLimits, poolLimits } from './limits.ts';
import { planRollout, type Rollout } from './rollout.ts';
import { decideReplicas, type ScalingDecision, type ScalingInput } from './scaling-decision.ts';
import { hasImage, type PoolTemplate, type TemplateRevision } from './vm-from-template.ts';

/** Maximum number of VMs created or deleted in one reconciliation, so that one pool does not delay all others. */
const MAX_STEP = 500;

export interface PoolRevisions {
  /** The revision of the present template. */
  readonly update: ControllerRevision;
  readonly history: readonly ControllerRevision[];
}

export interface PoolView extends ScalingInput {
  readonly pool: Pool;
  /** VMs that the pool owns, including terminating ones. */
  readonly vms: readonly NovacronVm[];
  readonly revisions: PoolRevisions;
  /** Image for templates that have none. */
  readonly defaultImage?: string | undefined;
  readonly now: number;
}

export type PoolAction =
  | { readonly do: 'create'; readonly revision: TemplateRevision; readonly count: number }
  | { readonly do: 'delete'; readonly vms: readonly NovacronVm[] }
  /** The number of VMs changes: users are told, and the autoscaler remembers it. */
  | { readonly do: 'rescale'; readonly replicas: number; readonly reason: string };

export interface PoolPlan {
  readonly actions: readonly PoolAction[];
  readonly decision: ScalingDecision;
  readonly rollout: Rollout;
  readonly limits: PoolLimits;
  /** Revision from which all VMs were made before the update. It is that of the present template after the update. */
  readonly currentRevision: string;
  readonly updateRevision: string;
  /** Why no VM can be created, if that is so. */
  readonly problem?: { readonly reason: string; readonly message: string };
}

/** Decides how many VMs the pool should have, and what to do next. */
export function planPool(view: PoolView): PoolPlan {
  const { pool, vms, revisions, now } = view;
  const decision = decideReplicas(view);
  const limits = poolLimits(pool, decision.replicas);
  const update = hashOf(revisions.update);
  const before = currentRevision(view, update);
  const rollout = planRollout({
    vms,
    desired: decision.replicas,
    limits,
    update,
    current: before,
    paused: pool.spec.paused,
    minReadyMs: pool.spec.minReadySeconds * 1000,
    now,
  });
  const isComplete = !pool.spec.paused && rollout.stale.length === 0 && limits.partition === 0;
  const problem = imageProblem(view, rollout);
  const rescaled: PoolAction[] =
    decision.reason === undefined ? [] : [{ do: 'rescale', replicas: decision.replicas, reason: decision.reason }];
  return {
    actions: [...rescaled, ...(problem === undefined ? stepsOf(view, rollout) : deletionsOf(rollout))],
    decision,
    rollout,
    limits,
    currentRevision: isComplete ? update : before,
    updateRevision: update,
    ...(problem === undefined ? {} : { problem }),
  };
}

const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[REVISION_HASH] ?? '';

/** Returns the rolled-out revision. One that was deleted cannot be used any more. */
function currentRevision({ pool, revisions }: PoolView, update: string): string {
  const { currentRevision: known = update } = pool.status ?? {};
  return revisions.history.some((each) => hashOf(each) === known) ? known : update;
}

function templateOf({ pool, revisions }: PoolView, hash: string): PoolTemplate {
  const found = revisions.history.find((each) => hashOf(each) === hash);
  const data = found?.data as { readonly spec?: { readonly template?: PoolTemplate } } | undefined;
  const { $patch: _, ...template } = (data?.spec?.template ?? pool.spec.template) as PoolTemplate & { $patch?: string };
  return template;
}

function imageProblem(view: PoolView, { create }: Rollout): PoolPlan['problem'] {
  const lacks = create.some(({ revision }) => !hasImage(templateOf(view, revision), view.defaultImage));
  if (!lacks) return undefined;
  const message = 'the template has no image: set spec.template.spec.image.source, or --default-image of the operator';
  return { reason: 'NoImage', message };
}

function stepsOf(view: PoolView, rollout: Rollout): PoolAction[] {
  let left = MAX_STEP;
  const creations = rollout.create.map(({ revision, count }): PoolAction => {
    const now = Math.min(left, count);
    left -= now;
    return { do: 'create', revision: { hash: revision, template: templateOf(view, revision) }, count: now };
  });
  return [...deletionsOf(rollout), ...creations.filter((action) => action.do !== 'create' || action.count > 0)];
}

function deletionsOf(rollout: Rollout): PoolAction[] {
  return rollout.delete.length === 0 ? [] : [{ do: 'delete', vms: rollout.delete.slice(0, MAX_STEP) }];
}
