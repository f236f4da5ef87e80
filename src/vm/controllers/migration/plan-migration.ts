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
  migrationStateOf,
  phaseOf,
  since,
  TARGET_SCHEDULED,
  withMigrationCondition,
  withMigrationPhase,
  withTargetScheduled,
} from './status.ts';
import { isOutOfDate, isTooSmall } from './target-size.ts';

/** All that is known of a migration when it is decided what to do. */
export interface MigrationView {
  readonly vmim: Vmim;
  readonly vmi: Vmi | undefined;
  /** The pod that was made for it. */
  readonly target: Pod | undefined;
  /** The pod that it leaves, or left. */
  readonly source: Pod | undefined;
  /** Why admission would not have let the migration in. */
  readonly rejection?: string;
  /** Whether the limits let it begin now. */
  readonly turn: boolean;
  readonly now: number;
}

export type MigrationAction =
  /** The instance becomes its owner: it is of no use to anybody once that is gone. */
  | { readonly do: 'belong' }
  | { readonly do: 'make target'; readonly source: Pod }
  /** The instance is told of the migration: from here on agents act. */
  | { readonly do: 'announce'; readonly state: MigrationState }
  /** The agents are asked to give it up. */
  | { readonly do: 'abort' }
  /** No agent has begun, and none shall any more. */
  | { readonly do: 'call off'; readonly failure: string }
  | { readonly do: 'remove'; readonly pod: Pod }
  /** The instance has left the node that it had to leave. */
  | { readonly do: 'clear evacuation' }
  /** Nobody wants it any more: it is deleted, and with that given up. */
  | { readonly do: 'take back' }
  | { readonly do: 'report'; readonly status: MigrationStatus }
  | { readonly do: 'requeue'; readonly requeueAfterMs: number }
  | { readonly do: 'release' };

/** How soon to look again for a pod that the cache may not show yet. */
const SOURCE_RETRY_MS = 3000;

const isOutOfUse = ({ metadata, status }: Pod) =>
  metadata.deletionTimestamp !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** What to do about a migration as it stands. */
export function planMigration(view: MigrationView, times: MigrationTimes): readonly MigrationAction[] {
  const { vmim, vmi } = view;
  if (isMigrationFinished(vmim)) return afterwards(view);
  const state = migrationStateOf(vmim, vmi);
  if (state?.completed === true)
    return [over(view, state.failed === true ? (state.failureReason ?? 'the migration failed') : undefined)];
  if (vmi !== undefined && isNobodys(view)) return [{ do: 'belong' }];
  const hopeless = reasonToFail(view);
  if (hopeless !== undefined) return abandon(view, state, hopeless);
  if (vmi === undefined) return [];
  if (isOutOfDate(vmim, vmi, view.source, view.target)) return [{ do: 'take back' }];
  if (view.target === undefined) return beginning(view, vmi);
  return state === undefined ? placing(view, vmi, view.target, times) : moving(view, state, times);
}

/** One that goes is left as it is; one that has begun says by its target whose it is. */
const isNobodys = ({ vmim: { metadata }, target }: MigrationView) =>
  target === undefined && metadata.deletionTimestamp === undefined && (metadata.ownerReferences ?? []).length === 0;

const over = ({ vmim, vmi, now }: MigrationView, failure: string | undefined): MigrationAction => ({
  do: 'report',
  status: finishedMigrationStatus(vmim, migrationStateOf(vmim, vmi), failure, now),
});

/** Why a migration can come to nothing any more; undefined while it can. */
function reasonToFail({ vmim, vmi, source, target, rejection }: MigrationView): string | undefined {
  const name = `${vmim.metadata.namespace}/${vmim.spec.vmiName}`;
  if (vmim.metadata.deletionTimestamp !== undefined) return 'the migration was given up: it was deleted';
  if (rejection !== undefined && target === undefined) return rejection;
  if (vmi === undefined) return `VMI ${name} does not exist`;
  if (isFinal(vmi)) return `VMI ${name} has ended`;
  if (isTerminating(vmi)) return `VMI ${name} is being deleted`;
  if (target === undefined) {
    if (phaseOf(vmim) !== 'Pending') return 'the target pod is gone';
    const movable = conditionOf(vmi.status?.conditions, 'LiveMigratable');
    if (movable?.status !== 'False') return undefined;
    return `VMI ${name} cannot be migrated: ${movable.reason ?? ''}: ${movable.message ?? ''}`;
  }
  if (!target.metadata.ownerReferences?.some(({ uid }) => uid === vmi.metadata.uid)) {
    return `VMI ${name} is another one by now`;
  }
  // Made when it was not seen yet that the machine had moved.
  if (migrationStateOf(vmim, vmi) === undefined && isTooSmall(target, source))
    return 'the machine has become larger since';
  return isOutOfUse(target) ? `target pod ${target.metadata.name} has ended` : undefined;
}

/** Ends a migration that agents may know of: where they may have begun, the end is theirs to tell. */
function abandon(view: MigrationView, state: MigrationState | undefined, failure: string): readonly MigrationAction[] {
  const { vmi } = view;
  if (state === undefined || vmi === undefined || isFinal(vmi)) return [over(view, failure)];
  const begun = (state.targetNodeAddress ?? '') !== '' || (state.startTimestamp ?? '') !== '';
  if (!begun) return [{ do: 'call off', failure }];
  return state.abortRequested === true ? [] : [{ do: 'abort' }, ...abortReported(view)];
}

function abortReported({ vmim, now }: MigrationView): readonly MigrationAction[] {
  if (vmim.metadata.deletionTimestamp === undefined) return [];
  const condition = { type: 'MigrationAbortRequested', status: 'True' } as const;
  return [{ do: 'report', status: withMigrationCondition(vmim.status ?? {}, condition, now) }];
}

function beginning({ vmim, turn, source }: MigrationView, vmi: Vmi): readonly MigrationAction[] {
  const { phase, migrationState } = vmi.status ?? {};
  const other = migrationState?.migrationUid !== undefined && migrationState.completed !== true;
  // It will run before long, or end; and it moves once at a time.
  if (phase !== 'Running' || other || !turn) return [];
  // Without the pod that it leaves, nothing would keep the target off the same node; the instance is about to end.
  if (source === undefined) return [{ do: 'requeue', requeueAfterMs: SOURCE_RETRY_MS }];
  return phaseOf(vmim) === 'Pending' ? [{ do: 'make target', source }] : [];
}

/** The target is there, and nobody knows of it yet. */
function placing(view: MigrationView, vmi: Vmi, target: Pod, times: MigrationTimes): readonly MigrationAction[] {
  const { vmim, source, now } = view;
  const age = now - Date.parse(target.metadata.creationTimestamp ?? '');
  const { nodeName = '' } = target.spec;
  if (nodeName === '') {
    const stuck = conditionOf(target.status?.conditions, 'PodScheduled')?.status === 'False';
    const limit = stuck ? times.unschedulableMs : times.pendingMs;
    if (age >= limit) {
      const why = conditionOf(target.status?.conditions, 'PodScheduled')?.message;
      return notPlaced(view, `no node was found for the target pod${why === undefined ? '' : `: ${why}`}`);
    }
    const told = stuck ? fitsNowhere(view, target) : phaseActions(view, 'Scheduling');
    return [...told, { do: 'requeue', requeueAfterMs: limit - age }];
  }
  if (target.status?.phase !== 'Running') {
    if (age >= times.pendingMs) return notPlaced(view, `target pod ${target.metadata.name} does not run`);
    return [...phaseActions(view, 'Scheduled'), { do: 'requeue', requeueAfterMs: times.pendingMs - age }];
  }
  // Where it is to leave from is known only while it runs somewhere.
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

/** That no node fits is told as soon as the scheduler says so; what it says may change with every pod, and is told once. */
function fitsNowhere({ vmim, now }: MigrationView, target: Pod): readonly MigrationAction[] {
  if (conditionOf(vmim.status?.conditions, TARGET_SCHEDULED)?.status === 'False') return [];
  const { message = '' } = conditionOf(target.status?.conditions, 'PodScheduled') ?? {};
  const condition = { type: TARGET_SCHEDULED, status: 'False', reason: 'Unschedulable', message } as const;
  return [
    { do: 'report', status: withMigrationCondition(withMigrationPhase(vmim, 'Scheduling', now), condition, now) },
  ];
}

/** A machine that waits for a larger place is to tell why it does not get it; others have nothing to do with it. */
function notPlaced(view: MigrationView, failure: string): readonly MigrationAction[] {
  const { vmim, vmi, now } = view;
  const { migrationState } = vmi?.status ?? {};
  const other = migrationState?.migrationUid !== undefined && migrationState.completed !== true;
  if (vmi === undefined || other || !needsWorkloadUpdate(vmi)) return [over(view, failure)];
  const state = { migrationUid: vmim.metadata.uid, completed: true, failed: true, failureReason: failure };
  return [{ do: 'announce', state: { ...state, endTimestamp: timestamp(now) } }];
}

/** The agents are at work. */
function moving(view: MigrationView, state: MigrationState, times: MigrationTimes): readonly MigrationAction[] {
  if ((state.startTimestamp ?? '') !== '') return phaseActions(view, 'Running');
  const ready = (state.targetNodeAddress ?? '') !== '';
  const phase = ready ? 'TargetReady' : 'PreparingTarget';
  const begun = since(view.vmim, phase) ?? view.now;
  const left = begun + (ready ? times.startingMs : times.preparingMs) - view.now;
  if (left > 0) return [...phaseActions(view, phase), { do: 'requeue', requeueAfterMs: left }];
  if (!ready) return [{ do: 'call off', failure: `node ${state.targetNode} did not get ready for the machine` }];
  // The source may be about to begin: it says itself that it does not.
  return state.abortRequested === true ? [] : [{ do: 'abort' }];
}

/** The status in another phase, with what the instance says of the migration by then. */
function phaseActions(
  { vmim, vmi, now }: MigrationView,
  phase: MigrationStatus['phase'] & string,
  migrationState = migrationStateOf(vmim, vmi),
): readonly MigrationAction[] {
  if (phaseOf(vmim) === phase) return [];
  const status = withTargetScheduled(withMigrationPhase(vmim, phase, now), now);
  return [{ do: 'report', status: migrationState === undefined ? status : { ...status, migrationState } }];
}

/** A pod is left over from every migration: the one that the machine is not in. */
function afterwards(view: MigrationView): readonly MigrationAction[] {
  const { vmim, vmi, source, target } = view;
  const left = phaseOf(vmim) === 'Succeeded' ? source : target;
  const home = vmi === undefined || isFinal(vmi) ? undefined : vmi.status?.nodeName;
  const inUse = left !== undefined && home !== undefined && left.spec.nodeName === home && isActivePod(vmi, left);
  const actions: MigrationAction[] = [];
  const leaves = vmim.status?.migrationState?.sourceNode;
  if (
    phaseOf(vmim) === 'Succeeded' &&
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
