import { type Snapshot, type SnapshotStatus, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { parseQuantity, value } from '#platform/base/quantity';
import { timestamp } from '#platform/base/timestamp';
import type { KubeCondition } from '#platform/kube/kinds/condition';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { ignoreNotFound, isAlreadyExists, isForbidden, isInvalid } from '#platform/kube/kube-error';
import type { Context } from '#platform/runtime/controller';
import { keyIn } from '#platform/runtime/key';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { inChain } from '#vm/storage/snapshot/lineage';
import { failedStatus, withConditions } from '#vm/storage/snapshot/status';
import type { SnapshotDeps, SnapshotSettings } from './settings.ts';
import { findVm, namespaceOf, snapshotsByVm, snapshotVmKey, vmClaims } from './snapshot-source.ts';
import { classesFor } from './volume-snapshot-class.ts';
import {
  deleteVolumeSnapshots,
  followed,
  newVolumeSnapshot,
  VOLUME_SNAPSHOTS,
  type VolumeSnapshot,
  volumeSnapshotsOf,
} from './volume-snapshots.ts';

export type CaptureWrite = (
  snapshot: Snapshot,
  status: SnapshotStatus,
  parts: SnapshotDeps,
  context: Context,
) => Promise<Snapshot>;

/** Progress of the storage. `until` is the deadline. */
export type CaptureProgress =
  | { readonly is: 'done' }
  | { readonly is: 'failed'; readonly reason: string; readonly message: string }
  | { readonly is: 'under way'; readonly until: number; readonly trouble?: string };

/** Reports whether the storage of the cluster captures the disks of a snapshot. */
export const isByStorage = ({ disks = [] }: SnapshotStatus) =>
  disks.some(({ volumeSnapshot }) => volumeSnapshot !== undefined);

/**
 * Captures the disks by the storage of the cluster, and reports when all are captured. None is retained if one fails.
 */
export async function captureByStorage(
  snapshot: Snapshot,
  parts: SnapshotDeps,
  context: Context,
  write: CaptureWrite,
): Promise<ReconcileResult | void> {
  const { cache, clock } = context;
  await context.follow(followed);
  const { namespace } = snapshot.metadata;
  const disks = snapshot.status?.disks ?? [];
  const found = disks.map(({ volumeSnapshot = '' }) => cache(VOLUME_SNAPSHOTS).get(keyIn(namespace, volumeSnapshot)));
  const progress = progressOf(snapshot, found, parts.settings, clock.now());
  if (progress.is === 'done') {
    await write(snapshot, captureStatus(snapshot, found, parts, context), parts, context);
    return;
  }
  if (progress.is === 'failed') return await fail(snapshot, progress, parts, context, write);
  let named: readonly string[] | undefined;
  for (const [index, { name, claim, volumeSnapshot = '' }] of disks.entries()) {
    if (found[index] !== undefined) continue;
    named ??= ownClaims(snapshot, parts, context);
    // The status alone does not prove that the disk belongs to the VM.
    const isNamed = named.includes(claim);
    const rejected = !isNamed
      ? `PersistentVolumeClaim ${claim} does not belong to the VM`
      : await createVolumeSnapshots(snapshot, volumeSnapshot, claim, context);
    if (rejected === undefined) continue;
    const message = `disk ${name} cannot be captured: ${rejected}`;
    return await fail(snapshot, { reason: 'CaptureFailed', message }, parts, context, write);
  }
  const { until, trouble } = progress;
  if (trouble !== undefined) await write(snapshot, troubledStatus(snapshot, trouble, clock.now()), parts, context);
  return { requeueAfterMs: Math.max(0, until - clock.now()) };
}

/** Returns the claims of the VM, which can only be captured in the namespace of the snapshot. */
function ownClaims(snapshot: Snapshot, { dialects, providers }: SnapshotDeps, context: Context): readonly string[] {
  if (namespaceOf(snapshot) !== snapshot.metadata.namespace) return [];
  return vmClaims(snapshot, dialects, providers, context) ?? [];
}

/**
 * Returns the progress of VolumeSnapshots, in the order of the disks. An error may be temporary, since the CSI driver
 * retries.
 */
export function progressOf(
  snapshot: Snapshot,
  found: readonly (VolumeSnapshot | undefined)[],
  { waitMs, errorMs }: Pick<SnapshotSettings, 'waitMs' | 'errorMs'>,
  now: number,
): CaptureProgress {
  const failed = (reason: string, message: string): CaptureProgress => ({ is: 'failed', reason, message });
  const begun = Date.parse(snapshot.status?.startTime ?? '');
  let until = begun + waitMs;
  let trouble: string | undefined;
  let ready = 0;
  for (const [index, each] of found.entries()) {
    const { volumeSnapshot: name = '' } = snapshot.status?.disks?.[index] ?? {};
    if (each === undefined) continue;
    const { error, readyToUse } = each.status ?? {};
    const whose = volumeSnapshotsOf(each, snapshot);
    if (whose === 'other')
      return failed('AlreadyExists', `VolumeSnapshot ${name} already exists and belongs to another owner`);
    if (whose === 'left') {
      trouble ??= `VolumeSnapshot ${name} of an earlier VMSnapshot with this name is still being deleted`;
    } else if (each.metadata.deletionTimestamp !== undefined) {
      return failed('CaptureFailed', error?.message ?? `VolumeSnapshot ${name} was deleted before it was ready`);
    } else if (readyToUse === true) ready++;
    else if (error !== undefined) {
      const message = error.message ?? `VolumeSnapshot ${name} failed`;
      const stands = (Date.parse(error.time ?? '') || begun) + errorMs;
      if (now >= stands) return failed('CaptureFailed', message);
      until = Math.min(until, stands);
      trouble ??= message;
    }
  }
  if (ready === found.length) return { is: 'done' };
  if (now < begun + waitMs) return { is: 'under way', until, ...(trouble === undefined ? {} : { trouble }) };
  const why = trouble === undefined ? '' : `: ${trouble}`;
  return failed('CaptureFailed', `the storage did not capture all disks within ${waitMs / 1000}s${why}`);
}

/** Creates the VolumeSnapshot of a claim. Returns the reason if that is impossible. */
async function createVolumeSnapshots(
  snapshot: Snapshot,
  name: string,
  claim: string,
  { client }: Context,
): Promise<string | undefined> {
  const { namespace } = snapshot.metadata;
  const found = await ignoreNotFound(client.get(PERSISTENT_VOLUME_CLAIMS, claim, { namespace }));
  const chosen = found === undefined ? undefined : (await classesFor([found], client)).get(claim);
  if (chosen === undefined) return `PersistentVolumeClaim ${claim} no longer has a volume`;
  if ('refused' in chosen) return chosen.refused;
  try {
    await client.create(VOLUME_SNAPSHOTS, newVolumeSnapshot(snapshot, name, claim, chosen.name));
  } catch (error) {
    // A retry would get the same response.
    if (isInvalid(error) || isForbidden(error)) return (error as Error).message;
    // The cache will show who owns it.
    if (!isAlreadyExists(error)) throw error;
  }
  return undefined;
}

async function fail(
  snapshot: Snapshot,
  { reason, message }: { readonly reason: string; readonly message: string },
  parts: SnapshotDeps,
  context: Context,
  write: CaptureWrite,
): Promise<void> {
  await deleteVolumeSnapshots(snapshot, context.client);
  const said = `${message}; no snapshot was stored`;
  await write(snapshot, failedStatus(snapshot, reason, said, context.clock.now()), parts, context);
}

function troubledStatus({ status = {} }: Snapshot, trouble: string, now: number): SnapshotStatus {
  const message = `the storage has not captured the VM yet: ${trouble}`;
  const said: KubeCondition = { type: 'Ready', status: 'False', reason: 'Creating', message };
  return { ...status, conditions: withConditions(status.conditions, [said], timestamp(now)) };
}

const OFF: KubeCondition = {
  type: 'Quiesced',
  status: 'True',
  reason: 'MachineOff',
  message: 'the VM was stopped',
};
const RAN: KubeCondition = {
  type: 'Quiesced',
  status: 'False',
  reason: 'NotPossible',
  message: 'disks are crash-consistent',
};

function captureStatus(
  snapshot: Snapshot,
  found: readonly (VolumeSnapshot | undefined)[],
  { dialects, providers }: SnapshotDeps,
  context: Context,
): SnapshotStatus {
  const { cache, clock } = context;
  const { status = {} } = snapshot;
  const now = timestamp(clock.now());
  const disks = (status.disks ?? []).map((disk, index) => ({
    ...disk,
    sizeBytes: value(parseQuantity(found[index]?.status?.restoreSize ?? 0)),
  }));
  const vm = findVm(snapshot, dialects, providers, context);
  // The VM may have been started while its disks were captured.
  const off = status.instanceUID === undefined && (typeof vm === 'string' || vm.instance === undefined);
  const held =
    disks.length === 1 ? '1 disk is stored in a VolumeSnapshot' : `${disks.length} disks are stored in VolumeSnapshots`;
  const ready: KubeCondition = { type: 'Ready', status: 'True', reason: 'Captured', message: held };
  const taken = Math.max(...found.map((each) => Date.parse(each?.status?.creationTime ?? '')));
  const next: SnapshotStatus = {
    ...status,
    phase: 'Ready',
    conditions: withConditions(status.conditions, [ready, off ? OFF : RAN], now),
    creationTime: Number.isNaN(taken) ? now : timestamp(taken),
    readyToRestore: true,
    disks,
    backingFiles: disks.map(({ volumeSnapshot = '' }) => `volumesnapshot/${volumeSnapshot}`),
  };
  return inChain(next, [...cache(VM_SNAPSHOTS).by(snapshotsByVm, snapshotVmKey(snapshot))]);
}
