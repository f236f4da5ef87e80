import { SNAPSHOT_FINALIZER } from '#api/disk/request';
import { type Snapshot, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { NODES } from '#platform/kube/kinds/node';
import { STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import type { Controller } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { CANCEL_REQUEUE, type ReconcileResult } from '#platform/runtime/work-queue';
import type { DependencyProviders } from '#vm/engine/dependency-provider';
import type { Dialect } from '#vm/engine/dialect';
import { isSettled } from '#vm/storage/snapshot/lineage';
import { applyRetention } from './apply-retention.ts';
import { createSnapshot, writeSnapshotStatus } from './create.ts';
import { hasUnpopulatedClaims } from './disk-populator.ts';
import { restoreFor } from './restore.ts';
import { SNAPSHOT_SETTINGS, type SnapshotDeps, type SnapshotSettings } from './settings.ts';
import { snapshotVmKey } from './snapshot-source.ts';
import { hasActiveRestore, snapshotWatches } from './snapshot-watches.ts';
import { isAwaited } from './volume-sources.ts';

export interface SnapshotOptions extends Partial<SnapshotSettings> {
  readonly dialects: readonly Dialect[];
  /** Providers of the templates of VMs. */
  readonly providers?: DependencyProviders;
}

/** Reconciles snapshots of VMs of every API group: captures, retains and restores them. */
export function snapshots(options: SnapshotOptions): Controller<Snapshot> {
  const { dialects, providers = {} } = options;
  const settings = { ...SNAPSHOT_SETTINGS, ...options };
  const parts: SnapshotDeps = { dialects, providers, settings, written: new Expectations() };

  return {
    name: 'vmsnapshot.hypersdk.io',
    for: VM_SNAPSHOTS,
    concurrency: 8,
    reads: [NAMESPACES, NODES, STORAGE_CLASSES, ...(providers.template?.watches ?? []).map(({ type }) => type)],
    watches: snapshotWatches(dialects),
    async reconcile(snapshot, context) {
      if (!parts.written.met(snapshotVmKey(snapshot), context.cache(VM_SNAPSHOTS))) return REQUEUE_SOON;
      if (!isSettled(snapshot)) return await createSnapshot(snapshot, parts, context);
      const restored = await restoreFor(snapshot, parts, context);
      if (restored === 'written') return;
      return earliest(restored, await applyRetention(snapshot, parts, context));
    },
    finalize: {
      finalizer: SNAPSHOT_FINALIZER,
      async run(snapshot, context) {
        // Copies in progress are finished first. New requests are rejected as too late.
        const restored = await restoreFor(snapshot, parts, context);
        if (restored === 'written') return 'held';
        if (!hasActiveRestore(snapshot) && !hasUnpopulatedClaims(snapshot, context) && !isAwaited(snapshot, context))
          return undefined;
        await writeSnapshotStatus(snapshot, { ...snapshot.status, phase: 'Deleting' }, parts, context);
        return restored ?? 'held';
      },
    },
  };
}

const REQUEUE_SOON: ReconcileResult = { requeueAfterMs: 50 };

function earliest(...given: readonly (ReconcileResult | undefined | void)[]): ReconcileResult {
  return { requeueAfterMs: Math.min(...given.map((each) => each?.requeueAfterMs ?? CANCEL_REQUEUE.requeueAfterMs)) };
}
