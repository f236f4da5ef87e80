import { type Snapshot, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { ignoreNotFound } from '#platform/kube/kube-error';
import type { Context } from '#platform/runtime/controller';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { inChain, isCaptured } from '#vm/storage/snapshot/lineage';
import { writeSnapshotStatus } from './create.ts';
import { retentionOf } from './retention.ts';
import type { SnapshotDeps } from './settings.ts';
import { snapshotsByVm, snapshotVmKey } from './snapshot-source.ts';

/** Applies the retention of a snapshot, and updates its position in the chain of snapshots. */
export async function applyRetention(
  snapshot: Snapshot,
  parts: SnapshotDeps,
  context: Context,
): Promise<ReconcileResult | undefined> {
  const { cache, client, clock, events } = context;
  const { metadata, status = {} } = snapshot;
  const all = [...cache(VM_SNAPSHOTS).by(snapshotsByVm, snapshotVmKey(snapshot))];
  const others = all.filter(
    (each) => each.metadata.uid !== metadata.uid && each.metadata.deletionTimestamp === undefined,
  );
  const kept = retentionOf(snapshot, others, clock.now());
  const { name, namespace, uid } = metadata;
  if (kept.expired && kept.remove) {
    events.event(snapshot, 'Normal', 'Expired', `Deleted: ${kept.why}`);
    await ignoreNotFound(client.delete(VM_SNAPSHOTS, name, { namespace, preconditions: { uid } }));
    return undefined;
  }
  if (isCaptured(snapshot)) {
    const phase = kept.expired ? 'Expired' : 'Ready';
    if (kept.expired && status.phase !== 'Expired') events.event(snapshot, 'Normal', 'Expired', `Expired: ${kept.why}`);
    await writeSnapshotStatus(snapshot, { ...inChain(status, all), phase }, parts, context);
  }
  if (kept.expired || kept.at === undefined) return undefined;
  return { requeueAfterMs: Math.max(1, kept.at - clock.now()) };
}
