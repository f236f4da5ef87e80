import type { GuestDisk, GuestState } from '#api/disk/contents';
import { RESTORE_ANNOTATION, type RestoreRequest, restoreState } from '#api/disk/request';
import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import type { Vmi } from '#api/kubevirt/resources';
import { vcpusOf } from '#vm/engine/launcher/resources';
import { bytesOf, diskDifference } from '#vm/storage/disk/guest-disks';
import { claimsIn } from './clone-volumes.ts';
import { type Course, type Deed, fail, type GivingUp, type Turn } from './course.ts';
import type { Checkpoint } from './operation.ts';
import { cpusText, memoryOf } from './resize.ts';
import { type Active, isMigrating, powerOf } from './sight.ts';
import { usable } from './snapshot.ts';
import { beginStandstill, comeToStandstill, resume } from './standstill.ts';

/** The disks of the machine are what they were when a snapshot was taken; it is stopped for it, and runs again if it ran. */
export const restore: Course = {
  isHeld: () => true,
  begin(sight) {
    const name = nameIn(sight);
    const found = usable(sight, name);
    if ('turn' in found) return found.turn;
    const lost = lostDisk(sight, found.ready);
    if (lost !== undefined) return fail('DiskNotFound', `${lost}: nothing has been changed`);
    if (isMigrating(sight))
      return fail('Migrating', 'the machine is on its way to another node: nothing has been changed');
    const result = { snapshotName: name };
    const turn = beginStandstill(sight);
    if (turn !== undefined) return turn.to === 'go on' ? { ...turn, result } : turn;
    if (sight.instance !== undefined) return { to: 'go on', checkpoint: { step: 'Stopping' }, progress: 5, result };
    return { ...restoring(sight), result };
  },
  go(sight, checkpoint) {
    switch (checkpoint.step) {
      case 'Restoring':
        return answered(sight, checkpoint);
      case 'Starting':
        return starting(sight, checkpoint);
      default:
        return goneSnapshot(sight, checkpoint) ?? comeToStandstill(sight) ?? restoring(sight);
    }
  },
  giveUp(sight, checkpoint): GivingUp {
    const state = restoreState(sight.vm.metadata.annotations, sight.operation.metadata.uid);
    const disks =
      state === 'restored' ? 'the disks are those of the snapshot' : 'the disks may not be those of the snapshot';
    const power = checkpoint.before === undefined ? 'the machine stays off' : 'the machine is being started again';
    return { over: true, stays: `${disks}, and ${power}`, deeds: goingOn(sight, checkpoint) };
  },
};

/** A disk of the snapshot whose claim is not there any more. */
function lostDisk({ look, ref }: Active, { status }: Snapshot): string | undefined {
  const lost = status?.disks?.find(({ claim }) => {
    const found = look.claim(ref.namespace, claim);
    return found === undefined || found.metadata.deletionTimestamp !== undefined;
  });
  if (lost === undefined) return undefined;
  return `the disk ${lost.name} has no PersistentVolumeClaim ${ref.namespace}/${lost.claim} any more`;
}

/** A snapshot that somebody has deleted answers nobody. */
function goneSnapshot(sight: Active, checkpoint: Checkpoint): Turn | undefined {
  const found = sight.look.snapshot(nameIn(sight));
  const going = found?.metadata.deletionTimestamp !== undefined && checkpoint.step !== 'Restoring';
  if (found !== undefined && !going) return undefined;
  const message = `VMSnapshot ${sight.ref.namespace}/${nameIn(sight)} was deleted before the disks were restored`;
  return fail(
    'SnapshotDeleted',
    `${message}: they are as before${startedAgain(checkpoint)}`,
    goingOn(sight, checkpoint),
  );
}

const startedAgain = ({ before }: Checkpoint) =>
  before === undefined ? '' : '; the machine, which was stopped for it, is started again';

const nameIn = ({ operation }: Active) => operation.spec.restoreSpec?.snapshotName ?? '';

function restoring(sight: Active): Turn & { readonly to: 'go on' } {
  return {
    to: 'go on',
    checkpoint: { step: 'Restoring' },
    progress: 40,
    message: `the disks are brought back to VMSnapshot ${nameIn(sight)}`,
    deeds: [asking(sight)],
  };
}

function asking(sight: Active): Deed {
  const request: RestoreRequest = { snapshot: nameIn(sight), uid: sight.operation.metadata.uid };
  return {
    do: 'change machine',
    body: { metadata: { annotations: { [RESTORE_ANNOTATION]: JSON.stringify(request) } } },
  };
}

function answered(sight: Active, checkpoint: Checkpoint): Turn {
  const state = restoreState(sight.vm.metadata.annotations, sight.operation.metadata.uid);
  if (state === 'asked') return goneSnapshot(sight, checkpoint) ?? { to: 'go on' };
  if (state === 'none') return { to: 'go on', deeds: [asking(sight)] };
  if (state !== 'restored')
    return fail(state.reason, `${state.message}${startedAgain(checkpoint)}`, goingOn(sight, checkpoint));
  const deeds = goingOn(sight, checkpoint);
  if (checkpoint.before === undefined)
    return { to: 'succeed', message: `the disks are those of VMSnapshot ${nameIn(sight)}`, deeds };
  const message = 'the disks are restored, and the machine is being started';
  return { to: 'go on', checkpoint: { step: 'Starting' }, progress: 70, message, deeds };
}

/** The request is taken back, and a machine that ran goes on. */
function goingOn(sight: Active, checkpoint: Checkpoint): readonly Deed[] {
  const answer = { [RESTORE_ANNOTATION]: null };
  if (checkpoint.before !== undefined) return resume(sight, checkpoint, answer);
  if (sight.vm.metadata.annotations?.[RESTORE_ANNOTATION] === undefined) return [];
  return [{ do: 'change machine', body: { metadata: { annotations: answer } } }];
}

function starting(sight: Active, checkpoint: Checkpoint): Turn {
  const { runs, live, comes, off } = powerOf(sight);
  if (live !== undefined && runs) return restored(sight, live);
  if (live !== undefined || comes || !off) return { to: 'go on' };
  return { to: 'go on', deeds: goingOn(sight, checkpoint) };
}

/** The machine runs again: where there was memory in the snapshot, it goes on from there, or says why it does not. */
function restored(sight: Active, live: Vmi): Turn {
  const message = `the machine runs with the disks of VMSnapshot ${nameIn(sight)}`;
  const kept = sight.look.snapshot(nameIn(sight))?.status;
  if (kept?.guestState === undefined) return { to: 'succeed', message };
  const why = obstacleTo(JSON.parse(kept.guestState) as GuestState, live, kept.restore?.nodeName, sight);
  if (why === undefined)
    return { to: 'succeed', message: `${message}, from where it was`, result: { memoryResumed: true } };
  const text = `${message}, but was booted: its memory could not be resumed, as ${why}`;
  return { to: 'succeed', reason: 'MemoryNotResumed', message: text, result: { memoryResumed: false } };
}

/** Why a guest does not go on with the memory that was kept. */
function obstacleTo(
  { vcpus, memoryBytes, disks }: GuestState,
  live: Vmi,
  node: string | undefined,
  sight: Active,
): string | undefined {
  if (node === undefined) return 'no node restored the disks that could have kept it';
  const { spec } = live;
  if (vcpusOf(spec.domain) === vcpus && memoryOf(spec) === memoryBytes) {
    const difference = disks === undefined ? undefined : diskDifference(disks, disksNow(live, sight));
    return difference === undefined ? undefined : `the machine ${difference}`;
  }
  const [has, had] = [memoryOf(spec), memoryBytes].map((bytes) => `${Math.round(bytes / 2 ** 20)}Mi`);
  return `the machine has ${cpusText(vcpusOf(spec.domain))} and ${has} of memory now, and had ${vcpus} and ${had} then`;
}

/** The disks that a machine runs with and that outlive its run. */
function disksNow({ spec }: Vmi, { look, ref }: Active): GuestDisk[] {
  const shown = new Set((spec.domain.devices.disks ?? []).map(({ name, volumeName }) => volumeName ?? name));
  return claimsIn(spec).flatMap(({ volume, claim }) => {
    if (!shown.has(volume)) return [];
    const found = look.claim(ref.namespace, claim);
    const bytes = found === undefined ? undefined : bytesOf(found);
    return [bytes === undefined ? { claim } : { claim, bytes }];
  });
}
