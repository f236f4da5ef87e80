import { RESTORE_ANNOTATION, type RestoreRequest, restoreState } from '../../api/disk/request.ts';
import { type Course, type Deed, fail, type GivingUp, type Turn } from './course.ts';
import type { Checkpoint } from './operation.ts';
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
        return comeToStandstill(sight) ?? restoring(sight);
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
  if (state === 'asked') return { to: 'go on' };
  if (state === 'none') return { to: 'go on', deeds: [asking(sight)] };
  if (state !== 'restored') return fail(state.reason, state.message, goingOn(sight, checkpoint));
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
  if (runs) return { to: 'succeed', message: `the machine runs with the disks of VMSnapshot ${nameIn(sight)}` };
  if (live !== undefined || comes || !off) return { to: 'go on' };
  return { to: 'go on', deeds: goingOn(sight, checkpoint) };
}
