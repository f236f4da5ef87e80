import {
  RESTORE_FAILED_ANNOTATION,
  RESTORED_ANNOTATION,
  type RestoreRequest,
  readRestoreRequest,
  restoreState,
} from '#api/disk/request';
import { type Snapshot, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { resourceTypeFor, VMIS } from '#api/kubevirt/resources';
import { TemporaryError, VimanaError } from '#platform/base/errors';
import { timestamp } from '#platform/base/timestamp';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Index } from '#platform/runtime/cache';
import type { Context } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { type Dialect, instanceName } from '#vm/engine/dialect';
import { isFinal } from '#vm/engine/instance-state';
import { ClaimDisks } from '#vm/storage/disk/claim-disks';
import { isMadeFor } from '#vm/storage/disk/machine-disk';
import { restoreDisks } from '#vm/storage/disk/saved-disks';
import { ancestryWith, existingAncestors, isCaptured } from '#vm/storage/snapshot/lineage';
import { anyNode, writeSnapshotStatus } from './create.ts';
import type { SnapshotDeps } from './settings.ts';
import { namespaceOf, snapshotsByVm, snapshotVmKey, vmClaims, vmKeyOf } from './snapshot-source.ts';
import { isByStorage } from './volume-capture.ts';
import { restoreByStorage } from './volume-restore.ts';

/** Indexes VMs with an open restore request by the snapshot that they name. */
const asking: Index = {
  values: ({ metadata }) => {
    const requested = readRestoreRequest(metadata.annotations);
    if (requested === undefined || restoreState(metadata.annotations, requested.uid) !== 'asked') return [];
    return [keyIn(requested.namespace ?? metadata.namespace, requested.snapshot)];
  },
};

export interface RestoreRequester {
  readonly dialect: Dialect;
  readonly vm: KubeObject;
  readonly requested: RestoreRequest;
}

/** Returns the VMs that request to be restored to a snapshot. */
export function* restoreRequesters(
  snapshot: Snapshot,
  dialects: readonly Dialect[],
  cache: Context['cache'],
): Iterable<RestoreRequester> {
  for (const dialect of dialects) {
    for (const vm of cache(resourceTypeFor(dialect.kind)).by(asking, keyOf(snapshot))) {
      const requested = readRestoreRequest(vm.metadata.annotations);
      if (requested !== undefined && mayRequest(snapshot, dialect, vm)) yield { dialect, vm, requested };
    }
  }
}

/**
 * Reports whether the snapshot may respond to a VM. To VMs of other namespaces that are not its own it does not
 * respond, since that would disclose which snapshots exist.
 */
function mayRequest(snapshot: Snapshot, dialect: Dialect, vm: KubeObject): boolean {
  return snapshot.metadata.namespace === vm.metadata.namespace || isOf(snapshot, dialect, vm);
}

const isOf = (snapshot: Snapshot, dialect: Dialect, vm: KubeObject) => snapshotVmKey(snapshot) === vmKeyOf(dialect, vm);

/** Restores the requesting VM to a snapshot once it is stopped. Returns 'written' if the snapshot has changed. */
export async function restoreFor(
  snapshot: Snapshot,
  parts: SnapshotDeps,
  context: Context,
): Promise<ReconcileResult | 'written' | undefined> {
  for (const requester of restoreRequesters(snapshot, parts.dialects, context.cache)) {
    const refusal = refusalOf(snapshot, requester, parts, context);
    if (refusal !== undefined) {
      await response(requester, { reason: refusal[0], message: refusal[1] }, context);
      continue;
    }
    // A disk must not change while it is captured.
    if (isOn(requester, context) || isBeingCaptured(snapshot, context)) continue;
    return await step(snapshot, requester, parts, context);
  }
  return undefined;
}

async function step(
  snapshot: Snapshot,
  requester: RestoreRequester,
  parts: SnapshotDeps,
  context: Context,
): Promise<ReconcileResult | 'written' | undefined> {
  const { status = {} } = snapshot;
  const { clock } = context;
  const { uid } = requester.requested;
  const { restore } = status;
  if (restore?.uid === uid && restore.completed === true) {
    await response(requester, 'restored', context);
    context.events.event(requester.vm, 'Normal', 'Restored', `Restored the disks to VMSnapshot ${keyOf(snapshot)}`);
    return undefined;
  }
  if (restore?.uid === uid && restore.failure !== undefined) {
    await response(requester, { reason: 'RestoreFailed', message: restore.failure }, context);
    return undefined;
  }
  if (restore?.uid === uid && restore.nodeName !== undefined) {
    const due = Date.parse(restore.startTime ?? '') + parts.settings.workMs;
    if (clock.now() < due) return { requeueAfterMs: due - clock.now() };
    const failure = `node ${restore.nodeName} did not restore the disks in time; some of them may be restored: try again`;
    await writeSnapshotStatus(snapshot, { ...status, restore: { ...restore, failure } }, parts, context);
    return 'written';
  }
  if (isByStorage(status)) {
    return await restoreByStorage(
      snapshot,
      requester,
      parts,
      context,
      (reported) => response(requester, reported, context),
      writeSnapshotStatus,
    );
  }
  const node = anyNode(context);
  if (node !== undefined) {
    const begun = { uid, nodeName: node, startTime: timestamp(clock.now()) };
    await writeSnapshotStatus(snapshot, { ...status, restore: begun }, parts, context);
    return 'written';
  }
  return await restoreHere(snapshot, requester, parts, context);
}

/** Restores disks by the operator if there is no node agent. Guests on KWOK nodes have no memory to resume. */
async function restoreHere(
  snapshot: Snapshot,
  { requested: { uid } }: RestoreRequester,
  parts: SnapshotDeps,
  context: Context,
): Promise<'written'> {
  const { client, cache } = context;
  const { status = {} } = snapshot;
  const others = [...cache(VM_SNAPSHOTS).by(snapshotsByVm, snapshotVmKey(snapshot))];
  const saved = (status.disks ?? []).map(({ name, claim, contents = '' }) => ({ name, claim, contents }));
  const branch = { uid, on: restoredOn(snapshot, others) };
  let outcome: { completed: true } | { failure: string } = { completed: true };
  try {
    await restoreDisks(new ClaimDisks(client), namespaceOf(snapshot), saved, branch);
  } catch (error) {
    if (!(error instanceof VimanaError) || error instanceof TemporaryError) throw error;
    outcome = { failure: error.message };
  }
  await writeSnapshotStatus(snapshot, { ...status, restore: { uid, ...outcome } }, parts, context);
  return 'written';
}

function restoredOn(snapshot: Snapshot, others: readonly Snapshot[]): { name: string; uid: string }[] {
  const before = existingAncestors(snapshot.status ?? {}, others);
  return [...before.map(({ metadata: { name, uid } }) => ({ name, uid })), ...ancestryWith(snapshot).slice(-1)];
}

/** Returns the reason and message for which a VM cannot be restored to a snapshot. */
function refusalOf(
  snapshot: Snapshot,
  { dialect, vm }: RestoreRequester,
  parts: SnapshotDeps,
  context: Context,
): [string, string] | undefined {
  const name = keyOf(snapshot);
  if (!isOf(snapshot, dialect, vm)) {
    // A VM of another namespace is not disclosed.
    const isNear = namespaceOf(snapshot) === vm.metadata.namespace;
    const whose = isNear ? `${snapshotVmKey(snapshot)}, another VM` : 'another VM';
    return ['WrongMachine', `VMSnapshot ${name} is a snapshot of ${whose}; the disks are unchanged`];
  }
  if (!isCaptured(snapshot))
    return ['NotReady', `VMSnapshot ${name} has failed and cannot be restored; the disks are unchanged`];
  const { status, metadata } = snapshot;
  if (metadata.deletionTimestamp !== undefined && status?.restore?.completed !== true) {
    const begun = status?.restore !== undefined && status.restore.failure === undefined;
    if (!begun) return ['NotReady', `VMSnapshot ${name} is being deleted; the disks are unchanged`];
  }
  return diskRefusal(snapshot, vm, parts, context);
}

/** Rejects disks in the status of a snapshot that are not the VM's, so that no others are written or deleted. */
function diskRefusal(
  snapshot: Snapshot,
  vm: KubeObject,
  { dialects, providers }: SnapshotDeps,
  context: Context,
): [string, string] | undefined {
  const { status = {} } = snapshot;
  const named = new Set(vmClaims(snapshot, dialects, providers, context));
  for (const { name: disk, claim } of status.disks ?? []) {
    const found = context.cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(namespaceOf(snapshot), claim));
    if (found !== undefined && !named.has(claim) && !isMadeFor(found, vm)) {
      const message = `PersistentVolumeClaim ${claim} of disk ${disk} does not belong to the VM; the disks are unchanged`;
      return ['WrongMachine', message];
    }
    // The storage recreates its claims, so that one may be missing for a while.
    if (isByStorage(status)) continue;
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) {
      return [
        'DiskNotFound',
        `PersistentVolumeClaim ${claim} of disk ${disk} no longer exists; the disks are unchanged`,
      ];
    }
  }
  return undefined;
}

function isBeingCaptured(snapshot: Snapshot, { cache }: Context): boolean {
  const all = [...cache(VM_SNAPSHOTS).by(snapshotsByVm, snapshotVmKey(snapshot))];
  return all.some(({ status }) => status?.phase === 'Creating');
}

function isOn({ dialect, vm }: RestoreRequester, { cache }: Context): boolean {
  const { name = '', namespace } = vm.metadata;
  const instance = cache(VMIS).get(keyIn(namespace, instanceName(dialect, name)));
  return instance !== undefined && !isFinal(instance);
}

type RestoreResult = 'restored' | { readonly reason: string; readonly message: string };

/** Reports the result of a restore on the VM and to its requester. */
async function response(
  { dialect, vm, requested }: RestoreRequester,
  given: RestoreResult,
  { client, events }: Context,
): Promise<void> {
  const { name = '', namespace = '', uid } = vm.metadata;
  const annotations =
    given === 'restored'
      ? { [RESTORED_ANNOTATION]: requested.uid, [RESTORE_FAILED_ANNOTATION]: null }
      : { [RESTORE_FAILED_ANNOTATION]: JSON.stringify({ uid: requested.uid, ...given }) };
  const body = { metadata: { uid, annotations } };
  await client.patch(resourceTypeFor(dialect.kind), name, { type: 'merge', body }, { namespace });
  if (given !== 'restored') events.event(vm, 'Warning', given.reason, given.message);
}
