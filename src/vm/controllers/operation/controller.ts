import { OPERATION_FINALIZER } from '#api/operation-request';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import { isForbidden, isInvalid, isNamespaceTerminating, isNotFound } from '#platform/kube/kube-error';
import type { Context, Controller } from '#platform/runtime/controller';
import { withFinalizer, withoutFinalizer } from '#platform/runtime/finalizer';
import { keyOf } from '#platform/runtime/key';
import { OwnWrites } from '#platform/runtime/own-writes';
import { writeStatus } from '#platform/runtime/status';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import type { DependencyProviders } from '#vm/engine/dependency-provider';
import type { Dialect } from '#vm/engine/dialect';
import { AlreadyExistsError, executeAction } from './execute-action.ts';
import { fetchServerFacts, observe } from './observe.ts';
import { hasStarted, isFinished, OPERATIONS, type Operation, type OperationStatus, phaseOf } from './operation.ts';
import type { WriteAction } from './operation-handler.ts';
import { isActive, type OperationView } from './operation-view.ts';
import { PendingWrites } from './pending-writes.ts';
import { cleanupActions, planOperation } from './plan-operation.ts';
import { finishedStatus } from './status.ts';
import { watchSources } from './watch-sources.ts';

export interface OperationSettings {
  /** Dialects of the VMs that can be operated on. */
  readonly dialects: readonly Dialect[];
  /** Providers of what VMs depend on beside their own spec. */
  readonly providers?: DependencyProviders;
  /** Only namespace to manage. If absent, all are managed. */
  readonly onlyNamespace?: string;
}

/** Requeue delay if a cache does not show a write yet, whose event may concern another object. */
const SOON: ReconcileResult = { requeueAfterMs: 50 };

/** Reconciles operations on VMs of every API group, one at a time for each VM. */
export function operations({ dialects, providers = {}, onlyNamespace }: OperationSettings): Controller<Operation> {
  const own = new OwnWrites();
  const written = new PendingWrites();
  /** Operations, by uid, whose start the cache may not show yet. */
  const started = new Set<string>();
  const known = { dialects, providers, onlyNamespace, started };
  const uids = new Map<string, string>();

  async function run(operation: Operation, context: Context): Promise<ReconcileResult | undefined> {
    const key = keyOf(operation);
    uids.set(key, operation.metadata.uid);
    if (isFinished(operation) || hasStarted(operation)) started.delete(operation.metadata.uid);
    if (!written.areMet(key, context)) return SOON;
    const answers = await fetchServerFacts(operation, known, context);
    // No await may come between this check of the queue and taking the turn.
    const view = observe(operation, answers, known, context);
    const actions = planOperation(view);
    const takes = actions.some((action) => action.do === 'report' && action.status.phase === 'Running');
    if (takes) started.add(operation.metadata.uid);
    try {
      return await carryOut(actions, view, context);
    } catch (error) {
      if (!hasStarted(operation)) started.delete(operation.metadata.uid);
      throw error;
    }
  }

  async function carryOut(
    actions: ReturnType<typeof planOperation>,
    view: OperationView,
    context: Context,
  ): Promise<ReconcileResult | undefined> {
    const { client } = context;
    let { operation } = view;
    let again: ReconcileResult | undefined;
    for (const action of actions) {
      switch (action.do) {
        case 'report':
          operation = await report(operation, action.status, context);
          break;
        case 'hold':
          operation = (await withFinalizer(client, OPERATIONS, operation, OPERATION_FINALIZER)) ?? operation;
          break;
        case 'release':
          await withoutFinalizer(client, OPERATIONS, operation, OPERATION_FINALIZER);
          break;
        case 'requeue':
          again = { requeueAfterMs: Math.max(0, action.requeueAfterMs) };
          break;
        case 'expire':
          await expire(operation, context);
          break;
        default: {
          const refusal = await perform(action, { ...view, operation }, context);
          if (refusal === undefined) break;
          for (const action of cleanupActions(operation, view)) await perform(action, { ...view, operation }, context);
          await report(operation, finishedStatus(operation, 'Failed', refusal, undefined, view.now), context);
          return undefined;
        }
      }
    }
    // The cleanup of a just finished operation is done here, since its own write triggers no reconcile.
    const ended = isFinished(operation) && !isFinished(view.operation);
    return ended ? await carryOut(planOperation({ ...view, operation }), { ...view, operation }, context) : again;
  }

  /** Performs an action. Returns the server's rejection if a retry would not help. */
  async function perform(
    action: WriteAction,
    view: OperationView,
    context: Context,
  ): Promise<{ reason: string; message: string } | undefined> {
    if (!isActive(view)) return undefined;
    const key = keyOf(view.operation);
    try {
      await executeAction(action, view, context, (type, object) => written.wrote(key, type, object));
      return undefined;
    } catch (error) {
      if (error instanceof AlreadyExistsError) return { reason: 'AlreadyExists', message: error.message };
      if (isNamespaceTerminating(error) || !(isInvalid(error) || isForbidden(error))) throw error;
      return { reason: 'Refused', message: (error as Error).message };
    }
  }

  async function report(operation: Operation, status: OperationStatus, context: Context): Promise<Operation> {
    const key = keyOf(operation);
    const write = writeStatus(context.client, OPERATIONS, operation, status);
    const after = await own.during(key, write, () => context.enqueue(key));
    if (after !== operation && isFinished(after) && !isFinished(operation)) {
      const [{ reason = 'Failed' } = {}] = status.conditions ?? [];
      const failed = phaseOf(after) === 'Failed';
      // An ordinary success is only reported in the status.
      if (failed || (phaseOf(after) === 'Succeeded' && reason !== 'Succeeded'))
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

  return {
    name: 'vmoperation.hypersdk.io',
    for: OPERATIONS,
    // Reconciles mostly wait for writes, which the store batches.
    concurrency: 128,
    isOwnWrite: (operation) => own.isOwnWrite(keyOf(operation), operation.metadata.resourceVersion),
    reads: [NAMESPACES, NODES, PODS, STORAGE_CLASSES, ...Object.values(providers).flatMap(({ reads = [] }) => reads)],
    watches: watchSources(dialects, started),
    reconcile: run,
    forget(key) {
      own.forget(key);
      written.forget(key);
      started.delete(uids.get(key) ?? '');
      uids.delete(key);
    },
  };
}
