import type { Backend } from '../backend.ts';
import { timestamp } from '../backend.ts';
import type { RequestContext } from '../request-context.ts';
import type { Resource } from '../resource.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import type { CrdCondition } from './crd.ts';

/** Progress of a CRD's deletion, as in its condition Terminating. */
export type TerminationProgress = Pick<CrdCondition, 'status' | 'reason' | 'message'>;

export const IN_PROGRESS: TerminationProgress = {
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
export const COMPLETED: TerminationProgress = {
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};
export const NEVER_ESTABLISHED: TerminationProgress = {
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};

export function failedProgress(error: unknown): TerminationProgress {
  const why = error instanceof Error ? error.message : String(error);
  return { status: 'True', reason: 'InstanceDeletionFailed', message: `could not issue all deletes: ${why}` };
}

export function terminatingCondition(progress: TerminationProgress, { clock }: Backend): CrdCondition {
  return { type: 'Terminating', ...progress, lastTransitionTime: timestamp(clock) };
}

/** Deletes all objects of a resource, and waits for those with finalizers. */
export async function deleteInstances(backend: Backend, resource: Resource, call: RequestContext): Promise<void> {
  const { main } = backend.stores;
  const { prefix } = resource.storage;
  const isEmpty = (): boolean => main.range({ prefix, limit: 1 }).entries.length === 0;
  if (isEmpty()) return;
  const watch = main.watch({ prefix, signal: call.signal });
  try {
    await deleteCollection(backend, resource, '', {}, {}, call);
    if (isEmpty()) return;
    for await (const _batch of watch) if (isEmpty()) return;
  } finally {
    watch.close();
  }
}
