import type { VMOperation } from '../../api/hypersdk/vm-operation.ts';
import type { VMSnapshot } from '../../api/hypersdk/vm-snapshot.ts';
import type { VMTemplate } from '../../api/hypersdk/vm-template.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import type { Progress } from '../vm/wait.ts';

const GONE: Progress = { failed: 'it was deleted before its end was seen' };

/** How far an operation is. */
export function operationProgress(operation: (VMOperation & KubeObject) | undefined): Progress {
  if (operation === undefined) return GONE;
  const { phase = 'Pending', progress, message = '' } = operation.status ?? {};
  if (phase === 'Succeeded') return { done: endOf(operation) };
  if (phase === 'Failed') return { failed: message || 'the operation failed' };
  if (phase === 'Cancelled') return { failed: message || 'the operation was cancelled' };
  const far = phase === 'Running' && progress !== undefined ? ` ${progress} %` : '';
  return { at: `${operation.spec.operation} ${phase}${far}${message === '' ? '' : `: ${message}`}` };
}

/** What a machine is when an operation has succeeded. */
function endOf({ spec, status }: VMOperation): string {
  const { result = {} } = status ?? {};
  switch (spec.operation) {
    case 'start':
      return 'started';
    case 'stop':
      return 'stopped';
    case 'restart':
      return 'restarted';
    case 'clone':
      return `cloned to ${result.targetVM ?? spec.cloneSpec?.targetName ?? 'another'}`;
    case 'migrate':
      return `on ${result.targetNode ?? 'another node'} now`;
    case 'resize':
      return status?.message ? `resized: ${status.message}` : 'resized';
    case 'snapshot':
      return `saved in ${result.snapshotName ?? 'a snapshot'}`;
    case 'restore':
      return `as it was in ${spec.restoreSpec?.snapshotName ?? 'the snapshot'}`;
    case 'delete':
      return 'deleted';
  }
}

/** How far a snapshot is. */
export function snapshotProgress(snapshot: (VMSnapshot & KubeObject) | undefined): Progress {
  if (snapshot === undefined) return GONE;
  const { phase = 'Pending', size, conditions = [] } = snapshot.status ?? {};
  const told = conditions.find(({ type }) => type === 'Failed' || type === 'Ready')?.message ?? '';
  if (phase === 'Ready') return { done: `saved in ${snapshot.metadata.name}${size === undefined ? '' : ` (${size})`}` };
  if (phase === 'Failed') return { failed: told || 'the snapshot failed' };
  return { at: `snapshot ${phase}${told === '' ? '' : `: ${told}`}` };
}

/** How far a template is. */
export function templateProgress(template: (VMTemplate & KubeObject) | undefined): Progress {
  if (template === undefined) return GONE;
  const { ready, conditions = [] } = template.status ?? {};
  if (ready === true) return { done: 'ready' };
  const invalid = conditions.find(({ type, status }) => type === 'Valid' && status === 'False');
  if (invalid !== undefined) return { failed: invalid.message || 'the template is not valid' };
  return { at: conditions.find(({ type }) => type === 'Ready')?.message || 'looked at' };
}
