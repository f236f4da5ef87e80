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
import type { MachineRef, Operation } from './operation.ts';

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
  machine(namespace: string, name: string): AnyVm | undefined;
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  readonly origins: DiskOrigins;
  /** As far as a machine is made of it. */
  surroundings(vm: AnyVm): VmDependencies;
}

/** All that is known of an operation and its machine when it is decided what to do. */
export interface Sight {
  readonly operation: Operation;
  readonly ref: MachineRef;
  /** Undefined where nobody looks after machines of the group. */
  readonly dialect: Dialect | undefined;
  readonly vm: AnyVm | undefined;
  /** The machine's own. */
  readonly instance: Vmi | undefined;
  /** Why it is never done, whatever comes: nobody looks after the group, or a namespace does not allow it. */
  readonly objection?: { readonly reason: string; readonly message: string } | undefined;
  /** The operation of the same machine that has to be over first. */
  readonly ahead: Operation | undefined;
  /** Absent where nobody can say. */
  readonly usage?: Usage | undefined;
  readonly look: Lookups;
  readonly now: number;
}

/** The same, where the machine is there. */
export interface Active extends Sight {
  readonly dialect: Dialect;
  readonly vm: AnyVm;
}

export function isActive(sight: Sight): sight is Active {
  return sight.dialect !== undefined && sight.vm !== undefined;
}

/** How the power of a machine is. */
export interface Power {
  /** The instance, where it has neither ended nor was told to go. */
  readonly live: Vmi | undefined;
  readonly runs: boolean;
  /** There is nothing left that runs, or could. */
  readonly off: boolean;
  /** An instance comes without anybody asking any more. */
  readonly comes: boolean;
  /** The instance has been told to end, or is about to be. */
  readonly ends: boolean;
}

export function powerOf({ dialect, vm, instance }: Active): Power {
  const desired = dialect.desiredVm(vm);
  const memory: RecordedState = dialect.recordedState(vm);
  const live = instance === undefined || isFinal(instance) || isTerminating(instance) ? undefined : instance;
  // Of an instance that is gone nothing is asked any more.
  const requests = memory.requests.filter(({ action, uid }) => action !== 'Stop' || uid === instance?.metadata.uid);
  const off = instance === undefined || isFinal(instance);
  const comes = shouldStart(desired, { ...memory, requests });
  const asked = memory.requests.some(({ action, uid }) => action === 'Stop' && uid === instance?.metadata.uid);
  return {
    live,
    runs: live?.status?.phase === 'Running',
    off: off && !(instance !== undefined && isTerminating(instance)),
    comes,
    ends: instance !== undefined && (isTerminating(instance) || asked || desired.runStrategy === 'Halted'),
  };
}

/** Whether the machine is on its way to another node. */
export function isMigrating({ instance }: Pick<Sight, 'instance'>): boolean {
  const state = instance?.status?.migrationState;
  return state?.migrationUid !== undefined && state.completed !== true && state.failed !== true;
}

/** Whether it is, or is about to be: it has been asked to leave its node, or is to be of a size that takes a move. */
export function isLeaving(sight: Pick<Sight, 'instance'>): boolean {
  const { nodeName, evacuationNodeName, conditions = [] } = sight.instance?.status ?? {};
  const isAsked = nodeName !== undefined && evacuationNodeName === nodeName;
  const isToChange = conditions.some(({ type, status }) => status === 'True' && HOT_CHANGES.has(type));
  return isAsked || isToChange || isMigrating(sight);
}
