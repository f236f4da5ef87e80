import { OPERATIONS, type Operation } from '#api/hypersdk/operation-resources';
import { type Template, VM_TEMPLATES } from '#api/hypersdk/resources';
import { type Snapshot, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import { type WaitDeps, type WaitState, waitFor } from './wait.ts';

/** Describes how the completion of a kind is recognized, and what to call it. */
interface End<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly end: string;
  readonly progress: (object: T | undefined) => WaitState;
}

export const OPERATION_END: End<Operation> = { type: OPERATIONS, end: 'to finish', progress: operationProgress };
export const SNAPSHOT_END: End<Snapshot> = { type: VM_SNAPSHOTS, end: 'to be ready', progress: snapshotProgress };
export const TEMPLATE_END: End<Template> = { type: VM_TEMPLATES, end: 'to be ready', progress: templateProgress };

/**
 * Waits for the completion of a created object. `machine` is the VM that it is about, and defaults to the object
 * itself.
 */
export function waitForCompletion<T extends KubeObject>(
  parts: WaitDeps,
  { type, end, progress }: End<T>,
  { name, namespace, machine = name }: { readonly name: string; readonly namespace: string; readonly machine?: string },
  timeoutMs: number,
): Promise<void> {
  const look = `kubectl describe ${type.kind.toLowerCase()} ${name} -n ${namespace}`;
  return waitFor(parts, { type, name, namespace, machine, what: `${name} ${end}`, look, progress }, timeoutMs);
}

const GONE: WaitState = { failed: 'it was deleted before it finished' };

/** Returns the progress of an operation. */
function operationProgress(operation: Operation | undefined): WaitState {
  if (operation === undefined) return GONE;
  const { phase = 'Pending', progress, message = '' } = operation.status ?? {};
  if (phase === 'Succeeded') return { done: endOf(operation) };
  if (phase === 'Failed') return { failed: message || 'the operation failed' };
  if (phase === 'Cancelled') return { failed: message || 'the operation was cancelled' };
  const far = phase === 'Running' && progress !== undefined ? ` ${progress} %` : '';
  return { at: `${operation.spec.operation} ${phase}${far}${message === '' ? '' : `: ${message}`}` };
}

/** Describes the VM after a successful operation. */
function endOf({ spec, status }: Operation): string {
  const { result = {} } = status ?? {};
  switch (spec.operation) {
    case 'start':
      return 'started';
    case 'stop':
      return 'stopped';
    case 'restart':
      return 'restarted';
    case 'clone':
      return `cloned to ${result.targetVM ?? spec.cloneSpec?.targetName ?? 'another VM'}`;
    case 'migrate':
      return `migrated to ${result.targetNode ?? 'another node'}`;
    case 'resize':
      return status?.message ? `resized: ${status.message}` : 'resized';
    case 'snapshot':
      return `saved in ${result.snapshotName ?? 'a snapshot'}`;
    case 'restore':
      return `restored from ${spec.restoreSpec?.snapshotName ?? 'the snapshot'}`;
    case 'delete':
      return 'deleted';
  }
}

/** Returns the progress of a snapshot. */
function snapshotProgress(snapshot: Snapshot | undefined): WaitState {
  if (snapshot === undefined) return GONE;
  const { phase = 'Pending', size, conditions = [] } = snapshot.status ?? {};
  const reported = conditions.find(({ type }) => type === 'Failed' || type === 'Ready')?.message ?? '';
  if (phase === 'Ready') return { done: `saved in ${snapshot.metadata.name}${size === undefined ? '' : ` (${size})`}` };
  if (phase === 'Failed') return { failed: reported || 'the snapshot failed' };
  return { at: `snapshot ${phase}${reported === '' ? '' : `: ${reported}`}` };
}

/** Returns the progress of a template. */
function templateProgress(template: Template | undefined): WaitState {
  if (template === undefined) return GONE;
  const { ready, conditions = [] } = template.status ?? {};
  if (ready === true) return { done: 'ready' };
  const invalid = conditions.find(({ type, status }) => type === 'Valid' && status === 'False');
  if (invalid !== undefined) return { failed: invalid.message || 'the template is not valid' };
  return { at: conditions.find(({ type }) => type === 'Ready')?.message || 'being checked' };
}
