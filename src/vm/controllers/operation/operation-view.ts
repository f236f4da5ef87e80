import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import { HOT_CHANGES } from '#api/kubevirt/hot-change';
import type { Vmi, Vmim } from '#api/kubevirt/resources';
import type { Node } from '#platform/kube/kinds/node';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import type { Dialect, RecordedState } from '#vm/engine/dialect';
import { isFinal, isTerminating } from '#vm/engine/instance-state';
import type { AnyVm } from '#vm/engine/instance-writer';
import { shouldStart } from '#vm/engine/plan-vm';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import type { DiskOrigins } from '#vm/storage/disk/copied-disk';
import type { Operation, VmRef } from './operation.ts';

/** What the machine uses at the moment, as its node measures it. */
export interface Usage {
  readonly cpuCores: number;
  readonly memoryBytes: number;
}

/** What else an operation may look up. */
export interface Lookups {
  node(name: string): Node | undefined;
  /** In the namespace of the machine. */
  migration(name: string): Vmim | undefined;
  snapshot(name: string): Snapshot | undefined;
  /** Of the same group. */
  vm(namespace: string, name: string): AnyVm | undefined;
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  readonly origins: DiskOrigins;
  /** As far as a machine is made of it. */
  dependencies(vm: AnyVm): VmDependencies;
}

/** All that is known of an operation and its machine when it is decided what to do. */
export interface OperationView {
  readonly operation: Operation;
  readonly ref: VmRef;
  /** Undefined where nobody looks after machines of the group. */
  readonly dialect: Dialect | undefined;
  readonly vm: AnyVm | undefined;
  /** The machine's own. */
  readonly instance: Vmi | undefined;
  /** Why it is never done, whatever comes: nobody looks after the group, or a namespace does not allow it. */
  readonly denial?: { readonly reason: string; readonly message: string } | undefined;
  /** The operation of the same machine that has to be over first. */
  readonly blockedBy: Operation | undefined;
  /** Absent where nobody can say. */
  readonly usage?: Usage | undefined;
  readonly lookups: Lookups;
  readonly now: number;
}

/** The same, where the machine is there. */
export interface ActiveOperationView extends OperationView {
  readonly dialect: Dialect;
  readonly vm: AnyVm;
}

export function isActive(view: OperationView): view is ActiveOperationView {
  return view.dialect !== undefined && view.vm !== undefined;
}

/** How the power of a machine is. */
export interface PowerState {
  /** The instance, where it has neither ended nor was told to go. */
  readonly live: Vmi | undefined;
  readonly isRunning: boolean;
  /** There is nothing left that runs, or could. */
  readonly isOff: boolean;
  /** An instance comes without anybody asking any more. */
  readonly willStart: boolean;
  /** The instance has been told to end, or is about to be. */
  readonly isStopping: boolean;
}

export function powerState({ dialect, vm, instance }: ActiveOperationView): PowerState {
  const desired = dialect.desiredVm(vm);
  const memory: RecordedState = dialect.recordedState(vm);
  const live = instance === undefined || isFinal(instance) || isTerminating(instance) ? undefined : instance;
  // Of an instance that is gone nothing is asked any more.
  const requests = memory.requests.filter(({ action, uid }) => action !== 'Stop' || uid === instance?.metadata.uid);
  const off = instance === undefined || isFinal(instance);
  const willStart = shouldStart(desired, { ...memory, requests });
  const asked = memory.requests.some(({ action, uid }) => action === 'Stop' && uid === instance?.metadata.uid);
  return {
    live,
    isRunning: live?.status?.phase === 'Running',
    isOff: off && !(instance !== undefined && isTerminating(instance)),
    willStart,
    isStopping: instance !== undefined && (isTerminating(instance) || asked || desired.runStrategy === 'Halted'),
  };
}

/** Whether the machine is on its way to another node. */
export function isMigrating({ instance }: Pick<OperationView, 'instance'>): boolean {
  const state = instance?.status?.migrationState;
  return state?.migrationUid !== undefined && state.completed !== true && state.failed !== true;
}

/** Whether it is, or is about to be: it has been asked to leave its node, or is to be of a size that takes a move. */
export function isEvacuating(view: Pick<OperationView, 'instance'>): boolean {
  const { nodeName, evacuationNodeName, conditions = [] } = view.instance?.status ?? {};
  const isAsked = nodeName !== undefined && evacuationNodeName === nodeName;
  const isToChange = conditions.some(({ type, status }) => status === 'True' && HOT_CHANGES.has(type));
  return isAsked || isToChange || isMigrating(view);
}
