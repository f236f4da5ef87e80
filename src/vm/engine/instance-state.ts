import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { Problem, Shutdown } from './dialect.ts';

/** Reports whether the instance has ended and will not run again. */
export function isFinal({ status }: VirtualMachineInstance): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

export function isTerminating({ metadata }: VirtualMachineInstance): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Reports whether the instance is marked to leave its current node. */
export function isMarkedForEvacuation({ status }: VirtualMachineInstance): boolean {
  const { evacuationNodeName = '', nodeName } = status ?? {};
  return evacuationNodeName !== '' && evacuationNodeName === nodeName;
}

/** Reports whether a live migration of the instance is in progress. */
export function isMigrating({ status }: VirtualMachineInstance): boolean {
  const { startTimestamp, completed, failed } = status?.migrationState ?? {};
  return startTimestamp !== undefined && startTimestamp !== null && completed !== true && failed !== true;
}

/** Reports whether the instance has ever run, even if it has ended. */
export function hasRun({ status }: VirtualMachineInstance): boolean {
  return status?.phase === 'Running' || since(status, 'Running') !== undefined;
}

/** Run time after which a start counts as successful. Even a guest that shuts down before has not really started. */
const STARTED_MS = 10_000;
/**
 * Run time after which a crash has nothing to do with earlier ones. It is the longest delay before a restart, so that a
 * guest that crashes regularly spends more time waiting than running.
 */
const STEADY_MS = 300_000;

/** Returns when the start of an instance counts, or will count, as successful, in milliseconds since the Unix epoch. */
export function startedAt(instance: VirtualMachineInstance): number {
  return (ranSince(instance) ?? Number.NEGATIVE_INFINITY) + STARTED_MS;
}

/** Returns when earlier failures of a VM no longer count, in milliseconds since the Unix epoch. */
export function steadyAt(instance: VirtualMachineInstance): number {
  return (ranSince(instance) ?? Number.NEGATIVE_INFINITY) + STEADY_MS;
}

/** Returns when an instance began to run, or undefined if it has not. */
export function ranSince({ status }: VirtualMachineInstance): number | undefined {
  const began = since(status, 'Running');
  return began === undefined ? undefined : Date.parse(began);
}

/** Returns when an instance ended, or undefined if it has not. */
export function endedAt({ status }: VirtualMachineInstance): number | undefined {
  const end = since(status, 'Failed') ?? since(status, 'Succeeded');
  return end === undefined ? undefined : Date.parse(end);
}

/** Returns who owns an instance, as seen by the VM with this UID. */
export function ownership({ metadata }: VirtualMachineInstance, machineUid: string): 'own' | 'nobody' | 'other' {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return 'nobody';
  return owner.uid === machineUid ? 'own' : 'other';
}

const NODE_LOST = new Set(['NodeLost', 'NodeDeleted', 'Fenced']);

/** Returns how an instance ended, or undefined if it has not. */
export function shutdownOf(instance: VirtualMachineInstance): Shutdown | undefined {
  if (!isFinal(instance)) return undefined;
  const { status, metadata } = instance;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const at = since(status, status?.phase) ?? ready?.lastTransitionTime ?? metadata.creationTimestamp;
  return { reason: shutdownReason(instance), message: failureReason(instance).message, at };
}

/** Returns the shutdown of an instance that was gone before anything reported its end: it was deleted. */
export function unseenEnd({ metadata }: VirtualMachineInstance): Shutdown {
  const at = metadata.deletionTimestamp ?? metadata.creationTimestamp;
  return { reason: 'Stopped', message: `instance ${metadata.name} was deleted`, at };
}

function shutdownReason(instance: VirtualMachineInstance): Shutdown['reason'] {
  const { phase, reason = '' } = instance.status ?? {};
  if (phase === 'Failed') return NODE_LOST.has(reason) ? 'NodeLost' : 'Error';
  if (reason === 'Stopped' || reason === 'GuestShutdown') return reason;
  return isTerminating(instance) ? 'Stopped' : 'GuestShutdown';
}

/** Returns what an instance reports about its failure. */
export function failureReason({ status, metadata }: VirtualMachineInstance): Problem {
  const conditions = status?.conditions ?? [];
  const reported =
    conditions.find(({ type, status: holds }) => type === 'Synchronized' && holds === 'False') ??
    conditions.find(({ type, status: holds }) => type === 'Ready' && holds !== 'True');
  const reason = firstOf(status?.reason, reported?.reason) ?? `Instance${status?.phase ?? 'Unknown'}`;
  const message =
    firstOf(reported?.message) ?? `instance ${metadata.name} is ${status?.phase ?? 'in an unknown state'}`;
  return { reason, message };
}

const firstOf = (...texts: readonly (string | undefined)[]) => texts.find((text) => text !== undefined && text !== '');

function since(status: VirtualMachineInstance['status'], phase: string | undefined): string | undefined {
  return status?.phaseTransitionTimestamps?.find((time) => time.phase === phase)?.phaseTransitionTimestamp ?? undefined;
}
