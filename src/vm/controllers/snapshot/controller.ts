import { readRestoreRequest, SNAPSHOT_FINALIZER } from '#api/disk/request';
import { type Snapshot, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { resourceTypeFor, VMIS } from '#api/kubevirt/resources';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { NODES } from '#platform/kube/kinds/node';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import type { Index } from '#platform/runtime/cache';
import { type Context, type Controller, type WatchSource, watchSource } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyIn, keyOf } from '#platform/runtime/key';
import { CANCEL_REQUEUE, type ReconcileResult } from '#platform/runtime/work-queue';
import type { DependencyProviders } from '#vm/engine/dependency-provider';
import { type Dialect, vmName } from '#vm/engine/dialect';
import { isSettled } from '#vm/storage/snapshot/lineage';
import { applyRetention } from './apply-retention.ts';
import { createSnapshot, writeSnapshotStatus } from './create.ts';
import { hasUnpopulatedClaims, sourceSnapshot } from './disk-populator.ts';
import { restoreFor, restoreRequesters } from './restore.ts';
import { SNAPSHOT_SETTINGS, type SnapshotDeps, type SnapshotSettings } from './settings.ts';
import { namespaceOf, snapshotsByVm, snapshotVmKey, vmKeyOf } from './snapshot-source.ts';
import { isAwaited, sourcesOf } from './volume-sources.ts';

export interface SnapshotOptions extends Partial<SnapshotSettings> {
  readonly dialects: readonly Dialect[];
  /** Providers of the templates of VMs. */
  readonly providers?: DependencyProviders;
}

/** Indexes snapshots that are not captured yet, or are being restored, by the claims that they wait for. */
const waitingForClaim: Index<Snapshot> = {
  values: (snapshot) =>
    isSettled(snapshot) && !isRestoring(snapshot)
      ? []
      : (snapshot.status?.disks ?? []).map(({ claim }) => keyIn(namespaceOf(snapshot), claim)),
};

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
    watches: [
      ...dialects.map((dialect) => machinesOf(dialect)),
      watchSource(VMIS, ({ metadata }, context) => {
        if (context.cache(VM_SNAPSHOTS).size === 0) return [];
        return dialects.flatMap((dialect) => {
          const name = vmName(dialect, metadata.name ?? '');
          return name === undefined ? [] : concerned(`${dialect.kind.group}/${metadata.namespace}/${name}`, context);
        });
      }),
      watchSource(PERSISTENT_VOLUME_CLAIMS, (claim, context) => {
        const all = context.cache(VM_SNAPSHOTS);
        if (all.size === 0) return [];
        const waiting = [...all.by(waitingForClaim, keyOf(claim))].map(keyOf);
        return [...waiting, ...sourceSnapshot(claim), ...sourcesOf(claim, context)];
      }),
      // Snapshots of one VM are captured one after the other, and build on each other.
      watchSource(VM_SNAPSHOTS, (snapshot, { cache }, { type, object, old }) => {
        if (snapshot !== object || (type === 'updated' && sameStage(object, old))) return [];
        return [...cache(VM_SNAPSHOTS).by(snapshotsByVm, snapshotVmKey(snapshot))]
          .filter((each) => each !== snapshot)
          .map(keyOf);
      }),
    ],
    async reconcile(snapshot, context) {
      if (!parts.written.met(snapshotVmKey(snapshot), context.cache(VM_SNAPSHOTS))) return SOON;
      if (!isSettled(snapshot)) return await createSnapshot(snapshot, parts, context);
      const restored = await restoreFor(snapshot, parts, context);
      if (restored === 'written') return;
      return earliest(restored, await applyRetention(snapshot, parts, context));
    },
    finalize: {
      finalizer: SNAPSHOT_FINALIZER,
      async run(snapshot, context) {
        // Copies in progress are finished first. New requests are told that it is too late.
        const restored = await restoreFor(snapshot, parts, context);
        if (restored === 'written') return 'held';
        if (!isRestoring(snapshot) && !hasUnpopulatedClaims(snapshot, context) && !isAwaited(snapshot, context))
          return undefined;
        await writeSnapshotStatus(snapshot, { ...snapshot.status, phase: 'Deleting' }, parts, context);
        return restored ?? 'held';
      },
    },
  };

  /** Wakes the uncaptured snapshots of a VM, and the one that it requests to be restored to. */
  function machinesOf(dialect: Dialect): WatchSource {
    return watchSource(resourceTypeFor(dialect.kind), (vm, context) => {
      if (context.cache(VM_SNAPSHOTS).size === 0) return [];
      return concerned(vmKeyOf(dialect, vm), context).concat(...askedBy(vm));
    });
  }

  function concerned(vm: string, { cache }: Context): string[] {
    const all = cache(VM_SNAPSHOTS);
    return [...all.by(snapshotsByVm, vm)]
      .filter((each) => !isSettled(each) || [...restoreRequesters(each, dialects, cache)].length > 0)
      .map(keyOf);
  }
}

const SOON: ReconcileResult = { requeueAfterMs: 50 };

const isRestoring = ({ status }: Snapshot) =>
  status?.restore !== undefined && status.restore.completed !== true && status.restore.failure === undefined;

function askedBy({
  metadata,
}: {
  metadata: { annotations?: Readonly<Record<string, string>>; namespace?: string };
}): string[] {
  const asked = readRestoreRequest(metadata.annotations);
  return asked === undefined ? [] : [keyIn(asked.namespace ?? metadata.namespace, asked.snapshot)];
}

/** Reports whether two states of a snapshot are equal for the other snapshots of its VM. */
function sameStage(a: Snapshot, b: Snapshot): boolean {
  const going = ({ metadata }: Snapshot) => metadata.deletionTimestamp !== undefined;
  return a.status?.phase === b.status?.phase && going(a) === going(b);
}

function earliest(...given: readonly (ReconcileResult | undefined | void)[]): ReconcileResult {
  return { requeueAfterMs: Math.min(...given.map((each) => each?.requeueAfterMs ?? CANCEL_REQUEUE.requeueAfterMs)) };
}
