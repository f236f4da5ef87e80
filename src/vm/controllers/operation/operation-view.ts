import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import { HOT_CHANGES } from '#api/kubevirt/hot-change';
import type { Vmi, Vmim } from '#api/kubevirt/resources';
import type { Node } from '#platform/kube/kinds/node';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import type { Dialect, RecordedState } from '#vm/engine/dialect';
import { isFinal, isTerminating } from '#vm/engine/instance-state';
import type { VmUsage } from '#vm/engine/metrics';
import { shouldStart } from '#vm/engine/plan-vm';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import type { AnyVm } from '#vm/engine/vm-scope';
import type { DiskOrigins } from '#vm/storage/disk/copied-disk';
import type { Operation, VmRef } from './operation.ts';

/** Lookups of other objects that an operation may need. */
export interface Lookups {
  node(name: string): Node | undefined;
  /** Looks up a migration in the namespace of the VM. */
  migration(name: string): Vmim | undefined;
  snapshot(name: string): Snapshot | undefined;
  /** Looks up a VM of the same API group. */
  vm(namespace: string, name: string): AnyVm | undefined;
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  readonly origins: DiskOrigins;
  /** Returns the dependencies of a VM. */
  dependencies(vm: AnyVm): VmDependencies;
}

/** State of an operation and its VM that the plan is based on. */
export interface OperationView {
  readonly operation: Operation;
  readonly ref: VmRef;
  /** Dialect of the VM. Undefined if its API group is not managed. */
  readonly dialect: Dialect | undefined;
  readonly vm: AnyVm | undefined;
  /** Instance that belongs to the VM. */
  readonly instance: Vmi | undefined;
  /** Reason for which it is never executed: its API group is not managed, or a namespace does not allow it. */
  readonly denial?: { readonly reason: string; readonly message: string } | undefined;
  /** Operation of the same VM that has to finish first. */
  readonly blockedBy: Operation | undefined;
  /** Usage of the VM. Absent if it is unknown. */
  readonly usage?: VmUsage | undefined;
  readonly lookups: Lookups;
  readonly now: number;
}

/** View of an operation whose VM exists. */
export interface ActiveOperationView extends OperationView {
  readonly dialect: Dialect;
  readonly vm: AnyVm;
}

export function isActive(view: OperationView): view is ActiveOperationView {
  return view.dialect !== undefined && view.vm !== undefined;
}

export interface PowerState {
  /** Instance that has neither ended nor been deleted. */
  readonly live: Vmi | undefined;
  readonly isRunning: boolean;
  /** Set if nothing is left that runs, or could. */
  readonly isOff: boolean;
  /** Set if an instance will start without a further request. */
  readonly willStart: boolean;
  /** Set if the instance has been requested to stop, or is about to be. */
  readonly isStopping: boolean;
}

export function powerState({ dialect, vm, instance }: ActiveOperationView): PowerState {
  const desired = dialect.desiredVm(vm);
  const memory: RecordedState = dialect.recordedState(vm);
  const live = instance === undefined || isFinal(instance) || isTerminating(instance) ? undefined : instance;
  // Stop requests for an instance that is gone no longer count.
  const requests = memory.requests.filter(({ action, uid }) => action !== 'Stop' || uid === instance?.metadata.uid);
  const off = instance === undefined || isFinal(instance);
  const willStart = shouldStart(desired, { ...memory, requests });
  const requested = memory.requests.some(({ action, uid }) => action === 'Stop' && uid === instance?.metadata.uid);
  return {
    live,
    isRunning: live?.status?.phase === 'Running',
    isOff: off && !(instance !== undefined && isTerminating(instance)),
    willStart,
    isStopping: instance !== undefined && (isTerminating(instance) || requested || desired.runStrategy === 'Halted'),
  };
}

/** Reports whether the VM is migrating. */
export function hasUnfinishedMigration({ instance }: Pick<OperationView, 'instance'>): boolean {
  const state = instance?.status?.migrationState;
  return state?.migrationUid !== undefined && state.completed !== true && state.failed !== true;
}

/**
 * Reports whether the VM is migrating or about to: its node is being evacuated, or its new size requires a migration.
 */
export function isEvacuating(view: Pick<OperationView, 'instance'>): boolean {
  const { nodeName, evacuationNodeName, conditions = [] } = view.instance?.status ?? {};
  const isAsked = nodeName !== undefined && evacuationNodeName === nodeName;
  const isToChange = conditions.some(({ type, status }) => status === 'True' && HOT_CHANGES.has(type));
  return isAsked || isToChange || hasUnfinishedMigration(view);
}
