import { RESTORED_ANNOTATION } from '../../api/disk/request.ts';
import { parseQuantity, value } from '../../base/quantity.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { NewObject } from '../../kube/client.ts';
import type { KubeCondition } from '../../kube/kinds/condition.ts';
import { resourceType } from '../../kube/kinds/resource-type.ts';
import { type Snapshot, type SnapshotStatus, VM_SNAPSHOTS } from '../../kube/kinds/snapshots.ts';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../../kube/kinds/storage.ts';
import { ifFound, isAlreadyExists, KubeError } from '../../kube/kube-error.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import { inChain } from '../../kube/snapshot/lineage.ts';
import { failedStatus, withConditions } from '../../kube/snapshot/status.ts';
import { type Context, watched } from '../../runtime/controller.ts';
import { keyIn } from '../../runtime/key.ts';
import type { Again } from '../../runtime/work-queue.ts';
import { byMachine, machineKey, namespaceOf } from './machine.ts';
import type { Asker } from './restore.ts';
import type { SnapshotParts } from './settings.ts';

/** What a CSI driver keeps of a volume. */
interface VolumeSnapshot extends KubeObject {
  readonly spec: {
    readonly source: { readonly persistentVolumeClaimName?: string };
    readonly volumeSnapshotClassName?: string;
  };
  readonly status?: {
    readonly readyToUse?: boolean;
    readonly restoreSize?: string | number;
    readonly error?: { readonly message?: string };
  };
}

const GROUP = 'snapshot.storage.k8s.io';
export const VOLUME_SNAPSHOTS = resourceType<VolumeSnapshot>(`${GROUP}/v1`, 'VolumeSnapshot', 'volumesnapshots');

type Write = (snapshot: Snapshot, status: SnapshotStatus, parts: SnapshotParts, context: Context) => Promise<Snapshot>;

/** Whether the cluster makes VolumeSnapshots. */
export async function makesVolumeSnapshots({ client }: Pick<Context, 'client'>): Promise<boolean> {
  try {
    await client.raw(`/apis/${GROUP}/v1`);
    return true;
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return false;
    throw error;
  }
}

/** Snapshots that are the owners of VolumeSnapshots are woken by them. */
const followed = watched(VOLUME_SNAPSHOTS, ({ metadata }) => {
  const owner = metadata.ownerReferences?.find(({ kind, controller }) => controller === true && kind === 'VMSnapshot');
  return owner === undefined ? [] : [keyIn(metadata.namespace, owner.name)];
});

/** Has the storage of the cluster capture the disks, and says so when all are captured; none stay where one fails. */
export async function captureByStorage(
  snapshot: Snapshot,
  parts: SnapshotParts,
  context: Context,
  write: Write,
): Promise<Again | void> {
  const { cache, client, clock } = context;
  await context.follow(followed);
  const { metadata, status = {} } = snapshot;
  const { namespace, name, uid } = metadata;
  const disks = status.disks ?? [];
  const found = disks.map(({ volumeSnapshot = '' }) => cache(VOLUME_SNAPSHOTS).get(keyIn(namespace, volumeSnapshot)));
  const due = Date.parse(status.startTime ?? '') + parts.settings.waitMs;
  const broken = found.find((each) => each?.status?.error !== undefined)?.status?.error?.message;
  const late =
    clock.now() >= due ? `the storage has not captured all disks within ${parts.settings.waitMs / 1000} s` : undefined;
  const failure = broken ?? late;
  if (failure !== undefined) {
    for (const { volumeSnapshot = '' } of disks) {
      await ifFound(client.delete(VOLUME_SNAPSHOTS, volumeSnapshot, { namespace }));
    }
    await write(
      snapshot,
      failedStatus(snapshot, 'CaptureFailed', `${failure}; nothing was kept`, clock.now()),
      parts,
      context,
    );
    return;
  }
  for (const [index, { claim, volumeSnapshot = '' }] of disks.entries()) {
    if (found[index] !== undefined) continue;
    const owner = { apiVersion: snapshot.apiVersion, kind: snapshot.kind, name, uid, controller: true };
    const made: NewObject<VolumeSnapshot> = {
      metadata: { name: volumeSnapshot, namespace, ownerReferences: [owner] },
      spec: { source: { persistentVolumeClaimName: claim } },
    };
    await client.create(VOLUME_SNAPSHOTS, made).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
  if (!found.every((each) => each?.status?.readyToUse === true)) return { afterMs: due - clock.now() };
  const sizes = found.map((each) => value(parseQuantity(each?.status?.restoreSize ?? 0)));
  await write(snapshot, captured(snapshot, sizes, context), parts, context);
}

function captured(snapshot: Snapshot, sizes: readonly number[], { cache, clock }: Context): SnapshotStatus {
  const { status = {} } = snapshot;
  const now = timestamp(clock.now());
  const disks = (status.disks ?? []).map((disk, index) => ({ ...disk, sizeBytes: sizes[index] ?? 0 }));
  const off = status.instanceUID === undefined;
  const said: KubeCondition[] = [
    { type: 'Ready', status: 'True', reason: 'Captured', message: `${disks.length} VolumeSnapshots hold the disks` },
    off
      ? { type: 'Quiesced', status: 'True', reason: 'MachineOff', message: 'nobody wrote to the disks' }
      : {
          type: 'Quiesced',
          status: 'False',
          reason: 'NotPossible',
          message: 'each disk is as a power cut would have left it',
        },
  ];
  const next: SnapshotStatus = {
    ...status,
    phase: 'Ready',
    conditions: withConditions(status.conditions, said, now),
    creationTime: now,
    readyToRestore: true,
    disks,
    backingFiles: disks.map(({ volumeSnapshot = '' }) => `volumesnapshot/${volumeSnapshot}`),
  };
  return inChain(next, [...cache(VM_SNAPSHOTS).by(byMachine, machineKey(snapshot))]);
}

type Told = 'restored' | { readonly reason: string; readonly message: string };

/**
 * Makes the claims of a machine anew from VolumeSnapshots. What the claims were is written down before the first of them
 * goes, so that whoever takes over goes on.
 */
export async function restoreByStorage(
  snapshot: Snapshot,
  { asked: { uid } }: Asker,
  parts: SnapshotParts,
  context: Context,
  answer: (told: Told) => Promise<void>,
  write: Write,
): Promise<Again | 'written' | undefined> {
  const { client, cache, clock } = context;
  const { status = {} } = snapshot;
  const namespace = namespaceOf(snapshot);
  const disks = status.disks ?? [];
  if (status.restore?.uid !== uid) {
    const claims: PersistentVolumeClaim[] = [];
    for (const { name, claim } of disks) {
      const found = await ifFound(client.get(PERSISTENT_VOLUME_CLAIMS, claim, { namespace }));
      if (found === undefined) {
        const message = `the disk ${name} has no PersistentVolumeClaim ${claim} any more; the disks are as before`;
        await answer({ reason: 'DiskNotFound', message });
        return undefined;
      }
      claims.push(found);
    }
    const restore = { uid, startTime: timestamp(clock.now()), claims: JSON.stringify(claims.map(anew)) };
    await write(snapshot, { ...status, restore }, parts, context);
    return 'written';
  }
  const wanted = JSON.parse(status.restore.claims ?? '[]') as readonly ClaimManifest[];
  let done = 0;
  for (const [index, claim] of wanted.entries()) {
    const name = claim.metadata.name ?? '';
    const present = cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(namespace, name));
    if (present?.metadata.annotations?.[RESTORED_ANNOTATION] === uid) done++;
    else if (present === undefined) {
      const source = { apiGroup: GROUP, kind: 'VolumeSnapshot', name: disks[index]?.volumeSnapshot ?? '' };
      const annotations = { ...claim.metadata.annotations, [RESTORED_ANNOTATION]: uid };
      const made = { metadata: { ...claim.metadata, annotations }, spec: { ...claim.spec, dataSource: source } };
      await client.create(PERSISTENT_VOLUME_CLAIMS, made).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    } else if (present.metadata.deletionTimestamp === undefined) {
      const { uid: old } = present.metadata;
      await ifFound(client.delete(PERSISTENT_VOLUME_CLAIMS, name, { namespace, preconditions: { uid: old ?? '' } }));
    }
  }
  if (done < wanted.length) return undefined;
  await write(snapshot, { ...status, restore: { uid, completed: true } }, parts, context);
  return 'written';
}

type ClaimManifest = Pick<PersistentVolumeClaim, 'metadata' | 'spec'>;

/** A claim as it can be made once more. */
function anew({ metadata, spec }: PersistentVolumeClaim): ClaimManifest {
  const { name, namespace, labels, ownerReferences, annotations = {} } = metadata;
  const { volumeName: _volume, dataSource: _source, dataSourceRef: _ref, ...asked } = spec as Record<string, unknown>;
  const own = Object.entries(annotations).filter(([key]) => !/(^|\.)kubernetes\.io\//.test(key));
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
      annotations: Object.fromEntries(own),
    },
    spec: asked,
  };
}
