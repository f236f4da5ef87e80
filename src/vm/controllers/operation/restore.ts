import type { GuestDisk, GuestState } from '#api/disk/contents';
import { RESTORE_ANNOTATION, type RestoreRequest, restoreState } from '#api/disk/request';
import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import type { Vmi } from '#api/kubevirt/resources';
import { vcpusOf } from '#vm/engine/launcher/resources';
import { bytesOf, diskDifference } from '#vm/storage/disk/guest-disks';
import { claimsIn } from './clone-volumes.ts';
import type { Checkpoint } from './operation.ts';
import {
  type AbortResult,
  fail,
  type OperationHandler,
  type StepResult,
  type WriteAction,
} from './operation-handler.ts';
import { type ActiveOperationView, hasUnfinishedMigration, powerState } from './operation-view.ts';
import { formatCpus, memoryOf } from './resize.ts';
import { usable } from './snapshot.ts';
import { beginStop, continueStop, restorePower } from './stop.ts';

/** Restores the disks of the VM to a snapshot. The VM is stopped for that, and restarted if it ran. */
export const restore: OperationHandler = {
  needsFinalizer: () => true,
  begin(view) {
    const name = nameIn(view);
    const found = usable(view, name);
    if ('turn' in found) return found.turn;
    const lost = missingDisk(view, found.ready);
    if (lost !== undefined) return fail('DiskNotFound', `${lost}: nothing has been changed`);
    if (hasUnfinishedMigration(view))
      return fail('Migrating', 'the VM is migrating to another node: nothing has been changed');
    const result = { snapshotName: name };
    const turn = beginStop(view);
    if (turn !== undefined) return turn.to === 'continue' ? { ...turn, result } : turn;
    if (view.instance !== undefined) return { to: 'continue', checkpoint: { step: 'Stopping' }, progress: 5, result };
    return { ...beginRestore(view), result };
  },
  advance(view, checkpoint) {
    switch (checkpoint.step) {
      case 'Restoring':
        return awaitRestore(view, checkpoint);
      case 'Starting':
        return startRestored(view, checkpoint);
      default:
        return failIfSnapshotGone(view, checkpoint) ?? continueStop(view) ?? beginRestore(view);
    }
  },
  abort(view, checkpoint): AbortResult {
    const state = restoreState(view.vm.metadata.annotations, view.operation.metadata.uid);
    const disks = state === 'restored' ? 'the disks were restored' : 'the disks may not be restored';
    const power = checkpoint.before === undefined ? 'the VM stays stopped' : 'the VM is starting again';
    return { finished: true, stays: `${disks}, and ${power}`, actions: continueRestore(view, checkpoint) };
  },
};

/** Returns a disk of the snapshot whose claim does not exist anymore. */
function missingDisk({ lookups, ref }: ActiveOperationView, { status }: Snapshot): string | undefined {
  const lost = status?.disks?.find(({ claim }) => {
    const found = lookups.claim(ref.namespace, claim);
    return found === undefined || found.metadata.deletionTimestamp !== undefined;
  });
  if (lost === undefined) return undefined;
  return `PersistentVolumeClaim ${ref.namespace}/${lost.claim} of disk ${lost.name} no longer exists`;
}

/** Fails the restore if the snapshot was deleted, since it would never respond. */
function failIfSnapshotGone(view: ActiveOperationView, checkpoint: Checkpoint): StepResult | undefined {
  const found = view.lookups.snapshot(nameIn(view));
  const going = found?.metadata.deletionTimestamp !== undefined && checkpoint.step !== 'Restoring';
  if (found !== undefined && !going) return undefined;
  const message = `VMSnapshot ${view.ref.namespace}/${nameIn(view)} was deleted before the disks were restored`;
  return fail(
    'SnapshotDeleted',
    `${message}: the disks are unchanged${formatRestart(checkpoint)}`,
    continueRestore(view, checkpoint),
  );
}

const formatRestart = ({ before }: Checkpoint) =>
  before === undefined ? '' : '; the VM, which was stopped for the restore, is starting again';

const nameIn = ({ operation }: ActiveOperationView) => operation.spec.restoreSpec?.snapshotName ?? '';

function beginRestore(view: ActiveOperationView): StepResult & { readonly to: 'continue' } {
  return {
    to: 'continue',
    checkpoint: { step: 'Restoring' },
    progress: 40,
    message: `restoring the disks from VMSnapshot ${nameIn(view)}`,
    actions: [requestRestore(view)],
  };
}

function requestRestore(view: ActiveOperationView): WriteAction {
  const request: RestoreRequest = { snapshot: nameIn(view), uid: view.operation.metadata.uid };
  return {
    do: 'patch VM',
    body: { metadata: { annotations: { [RESTORE_ANNOTATION]: JSON.stringify(request) } } },
  };
}

function awaitRestore(view: ActiveOperationView, checkpoint: Checkpoint): StepResult {
  const state = restoreState(view.vm.metadata.annotations, view.operation.metadata.uid);
  if (state === 'asked') return failIfSnapshotGone(view, checkpoint) ?? { to: 'continue' };
  if (state === 'none') return { to: 'continue', actions: [requestRestore(view)] };
  if (state !== 'restored')
    return fail(state.reason, `${state.message}${formatRestart(checkpoint)}`, continueRestore(view, checkpoint));
  const actions = continueRestore(view, checkpoint);
  if (checkpoint.before === undefined)
    return { to: 'succeed', message: `the disks were restored from VMSnapshot ${nameIn(view)}`, actions };
  const message = 'the disks were restored and the VM is starting';
  return { to: 'continue', checkpoint: { step: 'Starting' }, progress: 70, message, actions };
}

/** Withdraws the restore request, and lets a VM that ran continue. */
function continueRestore(view: ActiveOperationView, checkpoint: Checkpoint): readonly WriteAction[] {
  const response = { [RESTORE_ANNOTATION]: null };
  if (checkpoint.before !== undefined) return restorePower(view, checkpoint, response);
  if (view.vm.metadata.annotations?.[RESTORE_ANNOTATION] === undefined) return [];
  return [{ do: 'patch VM', body: { metadata: { annotations: response } } }];
}

function startRestored(view: ActiveOperationView, checkpoint: Checkpoint): StepResult {
  const { isRunning, live, willStart, isOff } = powerState(view);
  if (live !== undefined && isRunning) return restoredResult(view, live);
  if (live !== undefined || willStart || !isOff) return { to: 'continue' };
  return { to: 'continue', actions: continueRestore(view, checkpoint) };
}

/**
 * Returns the result once the VM runs again. If the snapshot has memory, the guest resumes from it, or the message says
 * why not.
 */
function restoredResult(view: ActiveOperationView, live: Vmi): StepResult {
  const message = `the VM is running with the disks of VMSnapshot ${nameIn(view)}`;
  const kept = view.lookups.snapshot(nameIn(view))?.status;
  if (kept?.guestState === undefined) return { to: 'succeed', message };
  const why = memoryRestoreProblem(JSON.parse(kept.guestState) as GuestState, live, kept.restore?.nodeName, view);
  if (why === undefined)
    return { to: 'succeed', message: `${message} and was resumed from its memory`, result: { memoryResumed: true } };
  const text = `${message}, but was booted, because its memory could not be resumed: ${why}`;
  return { to: 'succeed', reason: 'MemoryNotResumed', message: text, result: { memoryResumed: false } };
}

/** Returns why a guest cannot resume from the saved memory. */
function memoryRestoreProblem(
  { vcpus, memoryBytes, disks }: GuestState,
  live: Vmi,
  node: string | undefined,
  view: ActiveOperationView,
): string | undefined {
  if (node === undefined) return 'the disks were not restored by a node that could hold the memory';
  const { spec } = live;
  if (vcpusOf(spec.domain) === vcpus && memoryOf(spec) === memoryBytes) {
    const difference = disks === undefined ? undefined : diskDifference(disks, disksNow(live, view));
    return difference === undefined ? undefined : `the VM ${difference}`;
  }
  const [has, had] = [memoryOf(spec), memoryBytes].map((bytes) => `${Math.round(bytes / 2 ** 20)}Mi`);
  return `the VM has ${formatCpus(vcpusOf(spec.domain))} and ${has} of memory, but the snapshot was taken with ${vcpus} and ${had}`;
}

/** Returns the disks of a running VM that outlive its run. */
function disksNow({ spec }: Vmi, { lookups, ref }: ActiveOperationView): GuestDisk[] {
  const shown = new Set((spec.domain.devices.disks ?? []).map(({ name, volumeName }) => volumeName ?? name));
  return claimsIn(spec).flatMap(({ volume, claim }) => {
    if (!shown.has(volume)) return [];
    const found = lookups.claim(ref.namespace, claim);
    const bytes = found === undefined ? undefined : bytesOf(found);
    return [bytes === undefined ? { claim } : { claim, bytes }];
  });
}
