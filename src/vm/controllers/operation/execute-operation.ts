import { OPERATION_FINALIZER } from '#api/operation-request';
import { isForbidden, isInvalid, isNamespaceTerminating, isNotFound } from '#platform/kube/kube-error';
import type { Context } from '#platform/runtime/controller';
import { withFinalizer, withoutFinalizer } from '#platform/runtime/finalizer';
import { keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { AlreadyExistsError, executeAction } from './execute-action.ts';
import { isFinished, OPERATIONS, type Operation, type OperationStatus, operationPhaseOf } from './operation.ts';
import type { OperationEntry } from './operation-entry.ts';
import type { WriteAction } from './operation-handler.ts';
import { isActive, type OperationView } from './operation-view.ts';
import { cleanupActions, type OperationAction, planOperation } from './plan-operation.ts';
import { finishedStatus } from './status.ts';

type OwnAction = Exclude<OperationAction, WriteAction | { readonly do: 'requeue' }>;

/** Executes the actions that were planned for an operation, in order. */
export async function executeOperation(
  actions: readonly OperationAction[],
  view: OperationView,
  entry: OperationEntry,
  context: Context,
): Promise<ReconcileResult | undefined> {
  let { operation } = view;
  let again: ReconcileResult | undefined;
  for (const action of actions) {
    if (action.do === 'requeue') again = { requeueAfterMs: Math.max(0, action.requeueAfterMs) };
    else if (isOwnAction(action)) operation = await changeOperation(action, operation, entry, context);
    else {
      const current = { ...view, operation };
      const rejection = await perform(action, current, entry, context);
      if (rejection === undefined) continue;
      for (const each of cleanupActions(operation, view)) await perform(each, current, entry, context);
      await report(operation, finishedStatus(operation, 'Failed', rejection, undefined, view.now), entry, context);
      return undefined;
    }
  }
  // The cleanup of a just finished operation is done here, since its own write triggers no reconcile.
  if (!isFinished(operation) || isFinished(view.operation)) return again;
  const finished = { ...view, operation };
  return await executeOperation(planOperation(finished), finished, entry, context);
}

function isOwnAction(action: OperationAction): action is OwnAction {
  return action.do === 'report' || action.do === 'hold' || action.do === 'release' || action.do === 'expire';
}

/** Changes the operation itself. Returns its new state. */
async function changeOperation(
  action: OwnAction,
  operation: Operation,
  entry: OperationEntry,
  context: Context,
): Promise<Operation> {
  const { client } = context;
  switch (action.do) {
    case 'report':
      return await report(operation, action.status, entry, context);
    case 'hold':
      return (await withFinalizer(client, OPERATIONS, operation, OPERATION_FINALIZER)) ?? operation;
    case 'release':
      await withoutFinalizer(client, OPERATIONS, operation, OPERATION_FINALIZER);
      return operation;
    case 'expire':
      await expire(operation, context);
      return operation;
  }
}

/** Performs an action. Returns the server's rejection if a retry would not help. */
async function perform(
  action: WriteAction,
  view: OperationView,
  { pendingWrites }: OperationEntry,
  context: Context,
): Promise<{ reason: string; message: string } | undefined> {
  if (!isActive(view)) return undefined;
  try {
    await executeAction(action, view, context, (type, object) => pendingWrites.wrote(type, object));
    return undefined;
  } catch (error) {
    if (error instanceof AlreadyExistsError) return { reason: 'AlreadyExists', message: error.message };
    if (isNamespaceTerminating(error) || !(isInvalid(error) || isForbidden(error))) throw error;
    return { reason: 'Refused', message: (error as Error).message };
  }
}

async function report(
  operation: Operation,
  status: OperationStatus,
  { ownWrites }: OperationEntry,
  context: Context,
): Promise<Operation> {
  const write = writeStatus(context.client, OPERATIONS, operation, status);
  const after = await ownWrites.during(write, () => context.enqueue(keyOf(operation)));
  if (after !== operation && isFinished(after) && !isFinished(operation)) {
    const [{ reason = 'Failed' } = {}] = status.conditions ?? [];
    const failed = operationPhaseOf(after) === 'Failed';
    // An ordinary success is only reported in the status.
    if (failed || (operationPhaseOf(after) === 'Succeeded' && reason !== 'Succeeded'))
      context.events.event(operation, failed ? 'Warning' : 'Normal', reason, status.message ?? '');
  }
  return after;
}

async function expire({ metadata }: Operation, { client }: Context): Promise<void> {
  const { name, namespace, uid } = metadata;
  await client.delete(OPERATIONS, name, { namespace, preconditions: { uid } }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}
