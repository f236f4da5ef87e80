import { readRestoreRequest } from '#api/disk/request';
import { type Snapshot, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { resourceTypeFor, VMIS } from '#api/kubevirt/resources';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import type { Index } from '#platform/runtime/cache';
import { type Context, type WatchSource, watchSource } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { type Dialect, vmName } from '#vm/engine/dialect';
import { isSettled } from '#vm/storage/snapshot/lineage';
import { sourceSnapshot } from './disk-populator.ts';
import { restoreRequesters } from './restore.ts';
import { namespaceOf, snapshotsByVm, snapshotVmKey, vmKeyOf } from './snapshot-source.ts';
import { sourcesOf } from './volume-sources.ts';

/** Indexes snapshots that are not captured yet, or are being restored, by the claims that they wait for. */
const waitingForClaim: Index<Snapshot> = {
  values: (snapshot) =>
    isSettled(snapshot) && !hasActiveRestore(snapshot)
      ? []
      : (snapshot.status?.disks ?? []).map(({ claim }) => keyIn(namespaceOf(snapshot), claim)),
};

/** Returns the sources of changes that concern snapshots. */
export function snapshotWatches(dialects: readonly Dialect[]): readonly WatchSource[] {
  return [
    ...dialects.map((dialect) => vmWatch(dialect, dialects)),
    watchSource(VMIS, ({ metadata }, context) => {
      if (context.cache(VM_SNAPSHOTS).size === 0) return [];
      return dialects.flatMap((dialect) => {
        const name = vmName(dialect, metadata.name ?? '');
        const key = `${dialect.kind.group}/${metadata.namespace}/${name}`;
        return name === undefined ? [] : unsettledSnapshotKeys(key, dialects, context);
      });
    }),
    claimWatch,
    neighborWatch,
  ];
}

/** Wakes the uncaptured snapshots of a VM, and the one that it requests to be restored to. */
function vmWatch(dialect: Dialect, dialects: readonly Dialect[]): WatchSource {
  return watchSource(resourceTypeFor(dialect.kind), (vm, context) => {
    if (context.cache(VM_SNAPSHOTS).size === 0) return [];
    return unsettledSnapshotKeys(vmKeyOf(dialect, vm), dialects, context).concat(...requestedBy(vm));
  });
}

const claimWatch = watchSource(PERSISTENT_VOLUME_CLAIMS, (claim, context) => {
  const all = context.cache(VM_SNAPSHOTS);
  if (all.size === 0) return [];
  const waiting = [...all.by(waitingForClaim, keyOf(claim))].map(keyOf);
  return [...waiting, ...sourceSnapshot(claim), ...sourcesOf(claim, context)];
});

/** Wakes the other snapshots of a VM, which are captured one after the other, and build on each other. */
const neighborWatch = watchSource(VM_SNAPSHOTS, (snapshot, { cache }, { type, object, old }) => {
  if (snapshot !== object || (type === 'updated' && sameStage(object, old))) return [];
  return [...cache(VM_SNAPSHOTS).by(snapshotsByVm, snapshotVmKey(snapshot))]
    .filter((each) => each !== snapshot)
    .map(keyOf);
});

function unsettledSnapshotKeys(vm: string, dialects: readonly Dialect[], { cache }: Context): string[] {
  return [...cache(VM_SNAPSHOTS).by(snapshotsByVm, vm)]
    .filter((each) => !isSettled(each) || [...restoreRequesters(each, dialects, cache)].length > 0)
    .map(keyOf);
}

/** Reports whether a snapshot is being restored. */
export function hasActiveRestore({ status }: Snapshot): boolean {
  return status?.restore !== undefined && status.restore.completed !== true && status.restore.failure === undefined;
}

function requestedBy({
  metadata,
}: {
  metadata: { annotations?: Readonly<Record<string, string>>; namespace?: string };
}): string[] {
  const requested = readRestoreRequest(metadata.annotations);
  return requested === undefined ? [] : [keyIn(requested.namespace ?? metadata.namespace, requested.snapshot)];
}

/** Reports whether two states of a snapshot are equal for the other snapshots of its VM. */
function sameStage(a: Snapshot, b: Snapshot): boolean {
  const going = ({ metadata }: Snapshot) => metadata.deletionTimestamp !== undefined;
  return a.status?.phase === b.status?.phase && going(a) === going(b);
}
