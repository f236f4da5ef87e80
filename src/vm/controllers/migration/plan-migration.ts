import type { Vmi, Vmim } from '#api/kubevirt/resources';
import { timestamp } from '#platform/base/timestamp';
import { conditionOf } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';
import { isFinal, isTerminating } from '#vm/engine/instance-state';
import { configurationOf } from './configuration.ts';
import { needsWorkloadUpdate } from './plan-evacuation.ts';
import type { MigrationTimes } from './settings.ts';
import {
  finishedMigrationStatus,
  isMigrationFinished,
  type MigrationState,
  type MigrationStatus,
  migrationPhaseOf,
  migrationStateOf,
  since,
  TARGET_SCHEDULED,
  withMigrationCondition,
  withMigrationPhase,
  withTargetScheduled,
} from './status.ts';
import { isOutOfDate, isTooSmall } from './target-size.ts';

/** State of a migration that its plan is based on. */
export interface MigrationView {
  readonly vmim: Vmim;
  readonly vmi: Vmi | undefined;
  /** Pod that was created for the migration. */
  readonly target: Pod | undefined;
  /** Pod that the migration leaves, or left. */
  readonly source: Pod | undefined;
  /** Reason for which admission would reject the migration. */
  readonly rejection?: string;
  /** Set if the limits allow the migration to start now. */
  readonly turn: boolean;
  readonly now: number;
}

export type MigrationAction =
  /** Makes the instance the owner of the migration, which is of no use once the instance is gone. */
  | { readonly do: 'belong' }
  | { readonly do: 'make target'; readonly source: Pod }
  /** Writes the migration to the instance. From here on the node agents act. */
  | { readonly do: 'announce'; readonly state: MigrationState }
  /** Requests the node agents to abort the migration. */
  | { readonly do: 'abort' }
  /** Cancels a migration that no node agent has started, so that none will. */
  | { readonly do: 'call off'; readonly failure: string }
  | { readonly do: 'remove'; readonly pod: Pod }
  /** Clears the evacuation request once the instance has left its node. */
  | { readonly do: 'clear evacuation' }
  /** Deletes, and so aborts, a migration that is no longer needed. */
  | { readonly do: 'take back' }
  | { readonly do: 'report'; readonly status: MigrationStatus }
  | { readonly do: 'requeue'; readonly requeueAfterMs: number }
  | { readonly do: 'release' };

/** Requeue delay for a pod that the cache may not show yet. */
const SOURCE_RETRY_MS = 3000;

const isOutOfUse = ({ metadata, status }: Pod) =>
  metadata.deletionTimestamp !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Plans the next actions for a migration. */
export function planMigration(view: MigrationView, times: MigrationTimes): readonly MigrationAction[] {
  const { vmim, vmi } = view;
  if (isMigrationFinished(vmim)) return afterwards(view);
  const state = migrationStateOf(vmim, vmi);
  if (state?.completed === true)
    return [finishMigration(view, state.failed === true ? (state.failureReason ?? 'the migration failed') : undefined)];
  if (vmi !== undefined && isUnowned(view)) return [{ do: 'belong' }];
  const hopeless = reasonToFail(view);
  if (hopeless !== undefined) return abandon(view, state, hopeless);
  if (vmi === undefined) return [];
  if (isOutOfDate(vmim, vmi, view.source, view.target)) return [{ do: 'take back' }];
  if (view.target === undefined) return planBegin(view, vmi);
  return state === undefined ? planPlacement(view, vmi, view.target, times) : planTransfer(view, state, times);
}

/**
 * Reports whether a migration needs an owner. A terminating one stays as it is, and a started one is identified by its
 * target.
 */
const isUnowned = ({ vmim: { metadata }, target }: MigrationView) =>
  target === undefined && metadata.deletionTimestamp === undefined && (metadata.ownerReferences ?? []).length === 0;

const finishMigration = ({ vmim, vmi, now }: MigrationView, failure: string | undefined): MigrationAction => ({
  do: 'report',
  status: finishedMigrationStatus(vmim, migrationStateOf(vmim, vmi), failure, now),
});

/** Returns why a migration cannot succeed anymore, or undefined while it can. */
function reasonToFail({ vmim, vmi, source, target, rejection }: MigrationView): string | undefined {
  const name = `${vmim.metadata.namespace}/${vmim.spec.vmiName}`;
  if (vmim.metadata.deletionTimestamp !== undefined) return 'the migration was deleted';
  if (rejection !== undefined && target === undefined) return rejection;
  if (vmi === undefined) return `VMI ${name} does not exist`;
  if (isFinal(vmi)) return `VMI ${name} has finished`;
  if (isTerminating(vmi)) return `VMI ${name} is being deleted`;
  if (target === undefined) {
    if (migrationPhaseOf(vmim) !== 'Pending') return 'the target pod was deleted';
    const movable = conditionOf(vmi.status?.conditions, 'LiveMigratable');
    if (movable?.status !== 'False') return undefined;
    return `VMI ${name} cannot be migrated: ${movable.reason ?? ''}: ${movable.message ?? ''}`;
  }
  if (!target.metadata.ownerReferences?.some(({ uid }) => uid === vmi.metadata.uid)) {
    return `VMI ${name} was replaced by another one`;
  }
  // The target was created before it was known that the VM had migrated.
  if (migrationStateOf(vmim, vmi) === undefined && isTooSmall(target, source))
    return 'the VM was resized after the target pod was created';
  return isOutOfUse(target) ? `target pod ${target.metadata.name} has terminated` : undefined;
}

/** Ends a migration that node agents may know of. If they may have started, the end is theirs to report. */
function abandon(view: MigrationView, state: MigrationState | undefined, failure: string): readonly MigrationAction[] {
  const { vmi } = view;
  if (state === undefined || vmi === undefined || isFinal(vmi)) return [finishMigration(view, failure)];
  const begun = (state.targetNodeAddress ?? '') !== '' || (state.startTimestamp ?? '') !== '';
  if (!begun) return [{ do: 'call off', failure }];
  return state.abortRequested === true ? [] : [{ do: 'abort' }, ...reportAbort(view)];
}

function reportAbort({ vmim, now }: MigrationView): readonly MigrationAction[] {
  if (vmim.metadata.deletionTimestamp === undefined) return [];
  const condition = { type: 'MigrationAbortRequested', status: 'True' } as const;
  return [{ do: 'report', status: withMigrationCondition(vmim.status ?? {}, condition, now) }];
}

function planBegin({ vmim, turn, source }: MigrationView, vmi: Vmi): readonly MigrationAction[] {
  const { phase, migrationState } = vmi.status ?? {};
  const other = migrationState?.migrationUid !== undefined && migrationState.completed !== true;
  // The instance will soon run or end, and it has one migration at a time.
  if (phase !== 'Running' || other || !turn) return [];
  // Without the source pod, nothing keeps the target off the same node; the instance is about to end.
  if (source === undefined) return [{ do: 'requeue', requeueAfterMs: SOURCE_RETRY_MS }];
  return migrationPhaseOf(vmim) === 'Pending' ? [{ do: 'make target', source }] : [];
}

/** Handles a migration whose target exists but is not announced yet. */
function planPlacement(view: MigrationView, vmi: Vmi, target: Pod, times: MigrationTimes): readonly MigrationAction[] {
  const { vmim, source, now } = view;
  const age = now - Date.parse(target.metadata.creationTimestamp ?? '');
  const { nodeName = '' } = target.spec;
  if (nodeName === '') {
    const stuck = conditionOf(target.status?.conditions, 'PodScheduled')?.status === 'False';
    const limit = stuck ? times.unschedulableMs : times.pendingMs;
    if (age >= limit) {
      const why = conditionOf(target.status?.conditions, 'PodScheduled')?.message;
      return notPlaced(view, `no node found for the target pod${why === undefined ? '' : `: ${why}`}`);
    }
    const reported = stuck ? fitsNowhere(view, target) : phaseActions(view, 'Scheduling');
    return [...reported, { do: 'requeue', requeueAfterMs: limit - age }];
  }
  if (target.status?.phase !== 'Running') {
    if (age >= times.pendingMs) return notPlaced(view, `target pod ${target.metadata.name} is not running`);
    return [...phaseActions(view, 'Scheduled'), { do: 'requeue', requeueAfterMs: times.pendingMs - age }];
  }
  // The source is only known while the instance runs.
  if (source === undefined || vmi.status?.phase !== 'Running') return [];
  const state = {
    migrationUid: vmim.metadata.uid,
    sourceNode: vmi.status.nodeName ?? '',
    targetNode: nodeName,
    sourcePod: source.metadata.name ?? '',
    targetPod: target.metadata.name ?? '',
    ...configurationOf(vmim, vmi),
  };
  return [{ do: 'announce', state }, ...phaseActions(view, 'PreparingTarget', state)];
}

/**
 * Reports that no node fits as soon as the scheduler does. Its message may change with every pod, so only the first one
 * is reported.
 */
function fitsNowhere({ vmim, now }: MigrationView, target: Pod): readonly MigrationAction[] {
  if (conditionOf(vmim.status?.conditions, TARGET_SCHEDULED)?.status === 'False') return [];
  const { message = '' } = conditionOf(target.status?.conditions, 'PodScheduled') ?? {};
  const condition = { type: TARGET_SCHEDULED, status: 'False', reason: 'Unschedulable', message } as const;
  return [
    { do: 'report', status: withMigrationCondition(withMigrationPhase(vmim, 'Scheduling', now), condition, now) },
  ];
}

/** Reports the failure on an instance that waits for a larger launcher. Other instances are not affected. */
function notPlaced(view: MigrationView, failure: string): readonly MigrationAction[] {
  const { vmim, vmi, now } = view;
  const { migrationState } = vmi?.status ?? {};
  const other = migrationState?.migrationUid !== undefined && migrationState.completed !== true;
  if (vmi === undefined || other || !needsWorkloadUpdate(vmi)) return [finishMigration(view, failure)];
  const state = { migrationUid: vmim.metadata.uid, completed: true, failed: true, failureReason: failure };
  return [{ do: 'announce', state: { ...state, endTimestamp: timestamp(now) } }];
}

/** Handles a migration that the node agents execute. */
function planTransfer(view: MigrationView, state: MigrationState, times: MigrationTimes): readonly MigrationAction[] {
  if ((state.startTimestamp ?? '') !== '') return phaseActions(view, 'Running');
  const ready = (state.targetNodeAddress ?? '') !== '';
  const phase = ready ? 'TargetReady' : 'PreparingTarget';
  const begun = since(view.vmim, phase) ?? view.now;
  const left = begun + (ready ? times.startingMs : times.preparingMs) - view.now;
  if (left > 0) return [...phaseActions(view, phase), { do: 'requeue', requeueAfterMs: left }];
  if (!ready) return [{ do: 'call off', failure: `node ${state.targetNode} did not prepare the target in time` }];
  // The source may be about to start, so its node agent reports that it does not.
  return state.abortRequested === true ? [] : [{ do: 'abort' }];
}

/** Returns the status in another phase, with the migration state of the instance. */
function phaseActions(
  { vmim, vmi, now }: MigrationView,
  phase: MigrationStatus['phase'] & string,
  migrationState = migrationStateOf(vmim, vmi),
): readonly MigrationAction[] {
  if (migrationPhaseOf(vmim) === phase) return [];
  const status = withTargetScheduled(withMigrationPhase(vmim, phase, now), now);
  return [{ do: 'report', status: migrationState === undefined ? status : { ...status, migrationState } }];
}

/** Deletes the pod that is left over from a finished migration: the one that the VM is not in. */
function afterwards(view: MigrationView): readonly MigrationAction[] {
  const { vmim, vmi, source, target } = view;
  const left = migrationPhaseOf(vmim) === 'Succeeded' ? source : target;
  const home = vmi === undefined || isFinal(vmi) ? undefined : vmi.status?.nodeName;
  const inUse = left !== undefined && home !== undefined && left.spec.nodeName === home && isActivePod(vmi, left);
  const actions: MigrationAction[] = [];
  const leaves = vmim.status?.migrationState?.sourceNode;
  if (
    migrationPhaseOf(vmim) === 'Succeeded' &&
    leaves !== undefined &&
    vmi?.status?.evacuationNodeName === leaves &&
    home !== leaves
  ) {
    actions.push({ do: 'clear evacuation' });
  }
  if (left !== undefined && !inUse && left.metadata.deletionTimestamp === undefined)
    actions.push({ do: 'remove', pod: left });
  if (actions.length === 0 && vmim.metadata.deletionTimestamp !== undefined) actions.push({ do: 'release' });
  return actions;
}

const isActivePod = (vmi: Vmi | undefined, { metadata }: Pod) =>
  vmi?.status?.activePods?.[metadata.uid ?? ''] !== undefined;
