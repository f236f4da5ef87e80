import type { GuestState } from '#api/disk/contents';
import { type Snapshot, type SnapshotStatus, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { TemporaryError, VimanaError } from '#platform/base/errors';
import { parseQuantity, value } from '#platform/base/quantity';
import { timestamp } from '#platform/base/timestamp';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { NODES } from '#platform/kube/kinds/node';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import type { Context } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { ranSince } from '#vm/engine/instance-state';
import { vcpusOf } from '#vm/engine/launcher/resources';
import { ClaimDisks, contentsOf } from '#vm/storage/disk/claim-disks';
import { saveDisks } from '#vm/storage/disk/saved-disks';
import { firstCrossNamespaceDenial } from '#vm/storage/namespace-grant';
import { isSettled, lineageOf } from '#vm/storage/snapshot/lineage';
import { type Capture, capturedStatus, failedStatus, withConditions } from '#vm/storage/snapshot/status';
import {
  type Capturer,
  isAble,
  isSimulatedClaim,
  planSnapshot,
  type SnapshotStep,
  type SnapshotView,
} from './plan-snapshot.ts';
import type { SnapshotDeps } from './settings.ts';
import {
  claimedDisks,
  findVm,
  namespaceOf,
  type SnapshotSource,
  snapshotsByVm,
  snapshotVmKey,
  vmStateOf,
} from './snapshot-source.ts';
import { captureByStorage, isByStorage } from './volume-capture.ts';
import { classesFor } from './volume-snapshot-class.ts';

/** Captures a new snapshot, or reports why that is impossible. */
export async function createSnapshot(
  snapshot: Snapshot,
  parts: SnapshotDeps,
  context: Context,
): Promise<ReconcileResult | void> {
  const { clock } = context;
  const { status } = snapshot;
  // A capture that the storage has started is finished, whatever happens to the VM.
  if (status?.phase === 'Creating' && isByStorage(status))
    return await captureByStorage(snapshot, parts, context, writeSnapshotStatus);
  const view = await observeSnapshot(snapshot, parts, context);
  if (status?.phase === 'Creating' && isInProgress(snapshot, view)) {
    const due = Date.parse(status.startTime ?? '') + parts.settings.workMs;
    if (clock.now() < due) return { requeueAfterMs: due - clock.now() };
    const message = `node ${status.nodeName} did not capture the VM within ${parts.settings.workMs / 1000}s; nothing was changed`;
    await writeSnapshotStatus(snapshot, failedStatus(snapshot, 'Timeout', message, clock.now()), parts, context);
    return;
  }
  const step = planSnapshot(view, parts.settings);
  if (step.do === 'fail') {
    await writeSnapshotStatus(snapshot, failedStatus(snapshot, step.reason, step.message, clock.now()), parts, context);
    return;
  }
  if (step.do === 'wait') {
    await writeSnapshotStatus(snapshot, waitingStatus(view, step), parts, context);
    return step.until === Number.POSITIVE_INFINITY ? undefined : { requeueAfterMs: step.until - clock.now() };
  }
  return await capture(snapshot, step, parts, context);
}

async function capture(
  snapshot: Snapshot,
  { by, machine: vm, disks }: Extract<SnapshotStep, { do: 'capture' }>,
  parts: SnapshotDeps,
  context: Context,
): Promise<ReconcileResult | void> {
  const { cache, client, clock } = context;
  const begun = await begin(snapshot, by, vm, disks, context);
  if (by === 'storage') {
    const written = await writeSnapshotStatus(snapshot, begun, parts, context);
    return await captureByStorage(written, parts, context, writeSnapshotStatus);
  }
  if (by !== 'operator') {
    await writeSnapshotStatus(snapshot, begun, parts, context);
    return { requeueAfterMs: parts.settings.workMs };
  }
  const others = [...cache(VM_SNAPSHOTS).by(snapshotsByVm, snapshotVmKey(snapshot))];
  const asBegun = { ...snapshot, status: begun };
  try {
    const saved = await saveDisks(new ClaimDisks(client), { namespace: namespaceOf(snapshot), disks });
    await writeSnapshotStatus(
      snapshot,
      capturedStatus(asBegun, kwokCapture(snapshot, vm, saved, clock.now()), others),
      parts,
      context,
    );
  } catch (error) {
    if (!(error instanceof VimanaError) || error instanceof TemporaryError) throw error;
    await writeSnapshotStatus(
      snapshot,
      failedStatus(asBegun, 'CaptureFailed', error.message, clock.now()),
      parts,
      context,
    );
  }
}

/** Writes the status of a capture in progress. */
async function begin(
  snapshot: Snapshot,
  by: Capturer,
  vm: SnapshotSource,
  disks: readonly { readonly name: string; readonly claim: string }[],
  { cache, client, clock }: Context,
): Promise<SnapshotStatus> {
  const { metadata, status = {} } = snapshot;
  const [first] = disks;
  const namespace = namespaceOf(snapshot);
  // The branch is read again, since a restore may just have happened.
  const branch =
    first === undefined || by === 'storage'
      ? undefined
      : contentsOf(await client.get(PERSISTENT_VOLUME_CLAIMS, first.claim, { namespace })).branch;
  const others = [...cache(VM_SNAPSHOTS).by(snapshotsByVm, snapshotVmKey(snapshot))];
  const { uid } = vm.vm.metadata;
  const now = timestamp(clock.now());
  const message = by === 'operator' || by === 'storage' ? `by the ${by}` : `by node ${by.node}`;
  const { conditions, observedGeneration } = status;
  return {
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    phase: 'Creating',
    conditions: withConditions(
      conditions,
      [{ type: 'Ready', status: 'False', reason: 'Creating', message: `the VM is being captured ${message}` }],
      now,
    ),
    readyToRestore: false,
    startTime: now,
    vmState: vmStateOf(vm),
    vmUID: uid,
    ...(vm.instance === undefined ? {} : { instanceUID: vm.instance.metadata.uid }),
    ...(typeof by === 'string' ? {} : { nodeName: by.node }),
    disks: disks.map((disk) => ({
      ...disk,
      ...(by === 'storage' ? { volumeSnapshot: `${metadata.name}-${disk.name}` } : {}),
    })),
    ...lineageOf(uid, branch, others),
  };
}

/** Returns the capture of a VM on a KWOK node. It has no guest, so only the size and age of its memory are known. */
function kwokCapture(
  { spec }: Snapshot,
  { instance, spec: shape }: SnapshotSource,
  disks: Capture['disks'],
  now: number,
): Capture {
  const capture = { at: now, disks, quiesced: false };
  if (instance === undefined || !spec.includeMemory) return capture;
  const { memory, resources } = shape.domain;
  const bytes = value(parseQuantity(memory?.guest ?? resources?.requests?.['memory'] ?? 0));
  const state: GuestState = {
    uptimeMs: now - (ranSince(instance) ?? now),
    memoryBytes: bytes,
    vcpus: vcpusOf(shape.domain),
  };
  return { ...capture, memory: { bytes, state: JSON.stringify(state) } };
}

/**
 * Reports whether the capture continues where it started. The VM may have stopped or migrated before it was captured.
 */
function isInProgress({ status }: Snapshot, { source, node }: SnapshotView): boolean {
  if (typeof source === 'string' || status?.vmUID !== source.vm.metadata.uid) return false;
  const { instance } = source;
  if (status.instanceUID !== instance?.metadata.uid) return false;
  if (status.nodeName === undefined) return true;
  if (instance !== undefined) return instance.status?.nodeName === status.nodeName;
  const found = node(status.nodeName);
  return found !== undefined && isAble(found);
}

function waitingStatus(
  { snapshot, source, now }: SnapshotView,
  { reason, message }: { reason: string; message: string },
): SnapshotStatus {
  const { metadata, status = {} } = snapshot;
  const { observedGeneration, conditions } = status;
  // The snapshot is woken when these claims appear.
  const disks = typeof source === 'string' ? [] : claimedDisks(source.spec);
  return {
    ...(observedGeneration === undefined ? {} : { observedGeneration: metadata.generation ?? observedGeneration }),
    phase: 'Pending',
    readyToRestore: false,
    conditions: withConditions(conditions, [{ type: 'Ready', status: 'False', reason, message }], timestamp(now)),
    ...(disks.length === 0 ? {} : { disks }),
  };
}

async function observeSnapshot(
  snapshot: Snapshot,
  { dialects, providers, settings }: SnapshotDeps,
  context: Context,
): Promise<SnapshotView> {
  const { cache, client, clock } = context;
  const namespace = namespaceOf(snapshot);
  const others = [...cache(VM_SNAPSHOTS).by(snapshotsByVm, snapshotVmKey(snapshot))];
  const source = findVm(snapshot, dialects, providers, context);
  const claim = (name: string) => cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(namespace, name));
  const storageClass = (name: string) => cache(STORAGE_CLASSES).get(name);
  const claims = typeof source === 'string' ? [] : claimedDisks(source.spec).flatMap((disk) => claim(disk.claim) ?? []);
  return {
    snapshot,
    source,
    denial: await firstCrossNamespaceDenial(
      snapshot.metadata.namespace ?? '',
      [namespace],
      { namespace: (name) => cache(NAMESPACES).get(name), only: settings.onlyNamespace },
      client,
    ),
    before: firstOf(others, snapshot),
    claim,
    storageClass,
    classes: await classesFor(
      claims.filter((each) => !isSimulatedClaim(each, storageClass)),
      client,
    ),
    node: (name) => cache(NODES).get(name),
    anyNode: anyNode(context),
    now: clock.now(),
  };
}

export function anyNode({ cache }: Context): string | undefined {
  for (const node of cache(NODES).all()) if (isAble(node)) return node.metadata.name;
  return undefined;
}

/** Returns the snapshot that is captured before this one: one in progress, or an older one. */
function firstOf(others: readonly Snapshot[], own: Snapshot): string | undefined {
  const rank = ({ metadata, status }: Snapshot) =>
    `${status?.phase === 'Creating' ? 0 : 1} ${metadata.creationTimestamp} ${metadata.name}`;
  const [first] = others
    .filter((each) => !isSettled(each) && each.metadata.deletionTimestamp === undefined)
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return first === undefined || keyOf(first) === keyOf(own) ? undefined : first.metadata.name;
}

/** Writes the status of a snapshot, and records events for its transitions. */
export async function writeSnapshotStatus(
  snapshot: Snapshot,
  status: SnapshotStatus,
  { written }: Pick<SnapshotDeps, 'written'>,
  { client, events }: Context,
): Promise<Snapshot> {
  const next = await writeStatus(client, VM_SNAPSHOTS, snapshot, status);
  if (next === snapshot) return next;
  written.wrote(snapshotVmKey(snapshot), next);
  const before = snapshot.status?.phase;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  if (before === status.phase) return next;
  if (status.phase === 'Failed') events.event(next, 'Warning', ready?.reason ?? 'Failed', ready?.message ?? '');
  else if (status.phase === 'Ready' && before !== 'Expired')
    events.event(next, 'Normal', 'Captured', `Captured ${status.size} of the VM`);
  return next;
}
