import { RESTORED_ANNOTATION } from '#api/disk/request';
import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import { readRecords } from '#platform/base/json-record';
import { timestamp } from '#platform/base/timestamp';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import { ignoreNotFound, isAlreadyExists } from '#platform/kube/kube-error';
import type { Context } from '#platform/runtime/controller';
import { keyIn } from '#platform/runtime/key';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { atLeast, volumeState } from '#vm/storage/disk/claim-volume';
import type { RestoreRequester } from './restore.ts';
import { setReclaimPolicy, volumeToRetain } from './retain-volume.ts';
import type { SnapshotDeps } from './settings.ts';
import { namespaceOf } from './snapshot-source.ts';
import type { CaptureWrite } from './volume-capture.ts';
import { VOLUME_SNAPSHOT_GROUP } from './volume-snapshot-class.ts';
import { VOLUME_SNAPSHOTS } from './volume-snapshots.ts';

type RestoreOutcome = 'restored' | RestoreRejection;

interface RestoreRejection {
  readonly reason: string;
  readonly message: string;
}

/**
 * Recreates the claims of a VM from VolumeSnapshots. The old claims are recorded before the first is deleted, so that
 * the restore can be resumed, and their volumes are retained until the new ones exist.
 */
export async function restoreByStorage(
  snapshot: Snapshot,
  { requested: { uid } }: RestoreRequester,
  parts: SnapshotDeps,
  context: Context,
  response: (reported: RestoreOutcome) => Promise<void>,
  write: CaptureWrite,
): Promise<ReconcileResult | 'written' | undefined> {
  const { client, clock } = context;
  const { status = {} } = snapshot;
  if (status.restore?.uid !== uid) {
    const claims = await claimsToRecreate(snapshot, context);
    if (!Array.isArray(claims)) {
      await response(claims);
      return undefined;
    }
    const restore = { uid, startTime: timestamp(clock.now()), claims: JSON.stringify(claims) };
    await write(snapshot, { ...status, restore }, parts, context);
    return 'written';
  }
  const desired = recordedClaims(snapshot);
  const waits: string[] = [];
  for (const claim of desired) if (!(await restoreClaim(claim, uid, context))) waits.push(claim.metadata.name ?? '');
  const due = Date.parse(status.restore.startTime ?? '') + parts.settings.waitMs;
  if (waits.length > 0 && clock.now() < due) return { requeueAfterMs: due - clock.now() };
  const former = desired.flatMap(({ volume }) => volume ?? []);
  if (waits.length === 0)
    for (const { volume, metadata } of desired)
      if (volume !== undefined) await setReclaimPolicy(volume, claimKeyOf(metadata), false, client);
  const restore = { uid, ...(waits.length === 0 ? { completed: true } : { failure: failureOf(waits, former, parts) }) };
  await write(snapshot, { ...status, restore }, parts, context);
  return 'written';
}

function failureOf(waits: readonly string[], former: readonly string[], { settings }: SnapshotDeps): string {
  const why = `the storage did not create a volume from the snapshot within ${settings.waitMs / 1000}s for PersistentVolumeClaim ${waits.join(', ')}: see kubectl describe pvc`;
  return former.length === 0
    ? why
    : `${why}; the previous contents of the disks are retained on PersistentVolume ${former.join(', ')}`;
}

interface ClaimManifest extends Pick<PersistentVolumeClaim, 'metadata' | 'spec'> {
  /** Former volume of the claim, if it would have been deleted with it. */
  readonly volume?: string;
}

const claimKeyOf = ({ namespace = '', name = '' }: ClaimManifest['metadata']) => ({ namespace, name });

/**
 * Returns the recorded claims. Since a status can be forged, only disks of the snapshot are recreated, in the namespace
 * of its VM and from what was captured of them.
 */
function recordedClaims(snapshot: Snapshot): ClaimManifest[] {
  const { restore, disks = [] } = snapshot.status ?? {};
  const recorded = readRecords(restore?.claims ?? '[]') as readonly Partial<ClaimManifest>[];
  return recorded.flatMap(({ metadata, spec, volume }) => {
    const disk = disks.find(({ claim }) => claim === metadata?.name);
    if (metadata === undefined || spec === undefined || disk?.volumeSnapshot === undefined) return [];
    const claim = { metadata: { ...metadata, namespace: namespaceOf(snapshot) }, spec };
    return [{ ...recreatedClaim(claim, disk.volumeSnapshot, 0), ...(typeof volume === 'string' ? { volume } : {}) }];
  });
}

/** Returns the claims to create, or the reason if any cannot be recreated, before anything is lost. */
async function claimsToRecreate(
  snapshot: Snapshot,
  { client, cache }: Context,
): Promise<ClaimManifest[] | RestoreRejection> {
  const namespace = namespaceOf(snapshot);
  const rejected = (reason: string, message: string) => ({ reason, message: `${message}; the disks are unchanged` });
  const claims: ClaimManifest[] = [];
  for (const { name, claim, volumeSnapshot = '', sizeBytes = 0 } of snapshot.status?.disks ?? []) {
    const found = await ignoreNotFound(client.get(PERSISTENT_VOLUME_CLAIMS, claim, { namespace }));
    if (found === undefined)
      return rejected('DiskNotFound', `PersistentVolumeClaim ${claim} of disk ${name} no longer exists`);
    const kept = await ignoreNotFound(client.get(VOLUME_SNAPSHOTS, volumeSnapshot, { namespace }));
    if (kept?.status?.readyToUse !== true || kept.metadata.deletionTimestamp !== undefined)
      return rejected('SnapshotUnusable', `VolumeSnapshot ${volumeSnapshot} of disk ${name} not found or not ready`);
    const { storageClassName = '' } = found.spec;
    if (storageClassName !== '' && cache(STORAGE_CLASSES).get(storageClassName) === undefined)
      return rejected('ClassNotFound', `StorageClass ${storageClassName} of disk ${name} no longer exists`);
    const volume = await volumeToRetain(found.spec.volumeName, client);
    claims.push({ ...recreatedClaim(found, volumeSnapshot, sizeBytes), ...(volume === undefined ? {} : { volume }) });
  }
  return claims;
}

/** Reports whether a claim is the restored one and has its volume. If not, takes the next step towards that. */
async function restoreClaim(claim: ClaimManifest, uid: string, { client, cache }: Context): Promise<boolean> {
  const { name = '', namespace = '' } = claim.metadata;
  const present = cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(namespace, name));
  if (present?.metadata.annotations?.[RESTORED_ANNOTATION] === uid)
    return volumeState(present, (each) => cache(STORAGE_CLASSES).get(each)) !== 'awaited';
  if (present === undefined) {
    const annotations = { ...claim.metadata.annotations, [RESTORED_ANNOTATION]: uid };
    const made = { metadata: { ...claim.metadata, annotations }, spec: claim.spec };
    await client.create(PERSISTENT_VOLUME_CLAIMS, made).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  } else if (present.metadata.deletionTimestamp === undefined) {
    if (claim.volume !== undefined) await setReclaimPolicy(claim.volume, claimKeyOf(claim.metadata), true, client);
    const preconditions = { uid: present.metadata.uid ?? '' };
    await ignoreNotFound(client.delete(PERSISTENT_VOLUME_CLAIMS, name, { namespace, preconditions }));
  }
  return false;
}

/** Returns a claim to recreate from a VolumeSnapshot, large enough to hold it. */
function recreatedClaim(
  { metadata, spec }: Pick<PersistentVolumeClaim, 'metadata' | 'spec'>,
  volumeSnapshot: string,
  bytes: number,
): ClaimManifest {
  const { name, namespace, labels, ownerReferences, annotations = {} } = metadata;
  const { volumeName: _volume, dataSourceRef: _ref, ...requested } = spec as typeof spec & { dataSourceRef?: unknown };
  const own = Object.entries(annotations).filter(([key]) => !/(^|\.)kubernetes\.io\//.test(key));
  const storage = atLeast(spec.resources?.requests?.['storage'], bytes);
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
      annotations: Object.fromEntries(own),
    },
    spec: {
      ...requested,
      resources: { ...spec.resources, requests: { ...spec.resources?.requests, storage } },
      dataSource: { apiGroup: VOLUME_SNAPSHOT_GROUP, kind: 'VolumeSnapshot', name: volumeSnapshot },
    },
  };
}
