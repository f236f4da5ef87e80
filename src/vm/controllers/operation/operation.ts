import { OPERATIONS, type Operation } from '#api/hypersdk/operation-resources';
import { parseDuration } from '#platform/base/duration';
import { machineNamedBy, type NamedMachine } from '#vm/storage/disk/active-clone';

export { OPERATIONS, type Operation };
export type OperationStatus = NonNullable<Operation['status']>;
export type Checkpoint = NonNullable<OperationStatus['checkpoint']>;
export type Result = NonNullable<OperationStatus['result']>;
export type Phase = NonNullable<OperationStatus['phase']>;

const FINISHED: ReadonlySet<Phase | undefined> = new Set<Phase>(['Succeeded', 'Failed', 'Cancelled']);

export const phaseOf = ({ status }: Operation): Phase => status?.phase ?? 'Pending';
export const isFinished = (operation: Operation) => FINISHED.has(phaseOf(operation));
export const hasStarted = (operation: Operation) => phaseOf(operation) === 'Running';

/** It is to be called off: somebody said so, or does not want to hear of it any more. */
export const isCancelRequested = ({ metadata, spec }: Operation) =>
  spec.cancel || metadata.deletionTimestamp !== undefined;

/** Which machine an operation is about. */
export type VmRef = NamedMachine;

export const vmRefOf = (operation: Operation): VmRef => machineNamedBy(operation);

/** Machines of several groups may share a name. */
export const vmKey = ({ group, namespace, name }: VmRef) => `${group}/${namespace}/${name}`;

export const describeVm = ({ group, namespace, name }: VmRef) => `VirtualMachine.${group} ${namespace}/${name}`;

/** The snapshot that an operation starts from, as `namespace/name`. */
export function snapshotOf(operation: Operation): string | undefined {
  const { operation: kind, restoreSpec, cloneSpec } = operation.spec;
  const name = kind === 'restore' ? restoreSpec?.snapshotName : kind === 'clone' ? cloneSpec?.snapshotRef : undefined;
  return name === undefined ? undefined : `${vmRefOf(operation).namespace}/${name}`;
}

/** The steps of one that has not begun because something is not there: at first others wait for it, then no longer. */
export const LACKING = 'Lacking';
export const ASIDE = 'Aside';

/** Whether it has waited for something for so long that nobody waits for it any more. */
export const hasYielded = (operation: Operation) =>
  phaseOf(operation) === 'Pending' && operation.status?.checkpoint?.step === ASIDE;

/** Its place among those of the same second: as it was first seen, which is written down with the first status. */
export const orderOf = ({ metadata, status }: Operation) => status?.checkpoint?.order ?? metadata.resourceVersion;

/** When the operation has taken too long: counted from its start, and from its creation (or `since`) before. */
export function deadlineOf({ metadata, spec, status }: Operation, since?: number): number {
  const { startTime } = status ?? {};
  const begun = startTime === undefined ? (since ?? Date.parse(metadata.creationTimestamp)) : Date.parse(startTime);
  return begun + parseDuration(spec.timeout);
}
