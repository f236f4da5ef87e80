import { OPERATIONS, type Operation } from '#api/hypersdk/operation-resources';
import { parseDuration } from '#platform/base/duration';
import { type NamedVm, namedVmOf } from '#vm/storage/disk/active-clone';

export { OPERATIONS, type Operation };
export type OperationStatus = NonNullable<Operation['status']>;
export type Checkpoint = NonNullable<OperationStatus['checkpoint']>;
export type Result = NonNullable<OperationStatus['result']>;
export type OperationPhase = NonNullable<OperationStatus['phase']>;

const FINISHED: ReadonlySet<OperationPhase | undefined> = new Set<OperationPhase>(['Succeeded', 'Failed', 'Cancelled']);

export const operationPhaseOf = ({ status }: Operation): OperationPhase => status?.phase ?? 'Pending';
export const isFinished = (operation: Operation) => FINISHED.has(operationPhaseOf(operation));
export const hasStarted = (operation: Operation) => operationPhaseOf(operation) === 'Running';

/** Reports whether the operation was cancelled or deleted. */
export const isCancelRequested = ({ metadata, spec }: Operation) =>
  spec.cancel || metadata.deletionTimestamp !== undefined;

/** Reference to the VM of an operation. */
export type VmRef = NamedVm;

export const vmRefOf = (operation: Operation): VmRef => namedVmOf(operation);

/** Returns a key with the API group, since VMs of several groups may share a name. */
export const vmKey = ({ group, namespace, name }: VmRef) => `${group}/${namespace}/${name}`;

export const describeVm = ({ group, namespace, name }: VmRef) => `VirtualMachine.${group} ${namespace}/${name}`;

/** Returns the snapshot that an operation starts from, as `namespace/name`. */
export function snapshotOf(operation: Operation): string | undefined {
  const { operation: kind, restoreSpec, cloneSpec } = operation.spec;
  const name = kind === 'restore' ? restoreSpec?.snapshotName : kind === 'clone' ? cloneSpec?.snapshotRef : undefined;
  return name === undefined ? undefined : `${vmRefOf(operation).namespace}/${name}`;
}

/** Steps of an operation that cannot start because something is missing. Others first wait for it, then no longer. */
export const LACKING = 'Lacking';
export const ASIDE = 'Aside';

/** Reports whether the operation has waited so long that others no longer wait for it. */
export const hasYielded = (operation: Operation) =>
  operationPhaseOf(operation) === 'Pending' && operation.status?.checkpoint?.step === ASIDE;

/**
 * Returns the order among operations of the same second: the resource version when first seen, which is recorded in the
 * first status.
 */
export const orderOf = ({ metadata, status }: Operation) => status?.checkpoint?.order ?? metadata.resourceVersion;

/** Returns the deadline of the operation, counted from its start, or before that from its creation (or `since`). */
export function deadlineOf({ metadata, spec, status }: Operation, since?: number): number {
  const { startTime } = status ?? {};
  const begun = startTime === undefined ? (since ?? Date.parse(metadata.creationTimestamp)) : Date.parse(startTime);
  return begun + parseDuration(spec.timeout);
}
