import { NAMESPACES } from '#platform/kube/kinds/core';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import type { Context, Controller } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import type { DependencyProviders } from '#vm/engine/dependency-provider';
import type { Dialect } from '#vm/engine/dialect';
import { executeOperation } from './execute-operation.ts';
import { fetchServerFacts, observeOperation } from './observe.ts';
import { hasStarted, isFinished, OPERATIONS, type Operation } from './operation.ts';
import { OperationEntry } from './operation-entry.ts';
import { planOperation } from './plan-operation.ts';
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
const REQUEUE_SOON: ReconcileResult = { requeueAfterMs: 50 };

/** Reconciles operations on VMs of every API group, one at a time for each VM. */
export function operations({ dialects, providers = {}, onlyNamespace }: OperationSettings): Controller<Operation> {
  const entries = new Map<string, OperationEntry>();
  /** Operations, by uid, whose start the cache may not show yet. */
  const started = new Set<string>();
  const known = { dialects, providers, onlyNamespace, started };

  async function reconcile(operation: Operation, context: Context): Promise<ReconcileResult | undefined> {
    const { uid } = operation.metadata;
    const entry = entryOf(entries, operation);
    if (isFinished(operation) || hasStarted(operation)) started.delete(uid);
    if (!entry.pendingWrites.areMet(context)) return REQUEUE_SOON;
    const answers = await fetchServerFacts(operation, known, context);
    // No await may come between this check of the queue and taking the turn.
    const view = observeOperation(operation, answers, known, context);
    const actions = planOperation(view);
    const takes = actions.some((action) => action.do === 'report' && action.status.phase === 'Running');
    if (takes) started.add(uid);
    try {
      return await executeOperation(actions, view, entry, context);
    } catch (error) {
      if (!hasStarted(operation)) started.delete(uid);
      throw error;
    }
  }

  return {
    name: 'vmoperation.hypersdk.io',
    for: OPERATIONS,
    // Reconciles mostly wait for writes, which the store batches.
    concurrency: 128,
    isOwnWrite: (operation) =>
      entries.get(keyOf(operation))?.ownWrites.isOwnWrite(operation.metadata.resourceVersion) === true,
    reads: [NAMESPACES, NODES, PODS, STORAGE_CLASSES, ...Object.values(providers).flatMap(({ reads = [] }) => reads)],
    watches: watchSources(dialects, started),
    reconcile,
    forget(key) {
      started.delete(entries.get(key)?.uid ?? '');
      entries.delete(key);
    },
  };
}

function entryOf(entries: Map<string, OperationEntry>, { metadata }: Operation): OperationEntry {
  const key = keyOf({ metadata });
  const entry = entries.get(key) ?? new OperationEntry(metadata.uid);
  entry.uid = metadata.uid;
  entries.set(key, entry);
  return entry;
}
