import { START_AWAY_FROM, START_ON } from '#api/operation-request';
import { type Course, type Deed, fail, type GivingUp, NOT_YET, type Turn, WAIT } from './course.ts';
import { hostnameOf, placed } from './migrate.ts';
import type { Checkpoint } from './operation.ts';
import { type Active, powerOf } from './sight.ts';
import { beginStandstill, comeToStandstill, powerFieldsIn, resume } from './standstill.ts';

/** The machine is stopped, and started on another node. */
export const coldMigration: Course = {
  isHeld: () => true,
  begin(sight) {
    const { live, runs, comes } = powerOf(sight);
    const already = placed(sight);
    if (already !== undefined)
      return already.to === 'succeed' ? { ...already, result: { ...already.result, live: false } } : already;
    if (!runs && (comes || live !== undefined)) return NOT_YET;
    if (live === undefined)
      return fail(
        'WrongPowerState',
        'the machine is not running, so that it leaves no node: nothing has been changed; it is placed when it starts',
      );
    const turn = beginStandstill(sight);
    if (turn?.to !== 'go on') return turn ?? WAIT;
    return { ...turn, result: { sourceNode: live.status?.nodeName ?? '', live: false } };
  },
  go: (sight, checkpoint) =>
    checkpoint.step === 'Starting' ? startingElsewhere(sight, checkpoint) : leaving(sight, checkpoint),
  giveUp(sight, checkpoint): GivingUp {
    const stays = 'the machine goes on as before, or is being started again on a node of the scheduler’s choice';
    const anew = placeless(sight, checkpoint);
    if (anew.length === 0) return { over: true, stays, deeds: resume(sight, checkpoint, NO_PLACE) };
    const { annotations = {} } = sight.vm.metadata;
    const isTold = Object.keys(NO_PLACE).some((name) => Object.hasOwn(annotations, name));
    return isTold ? { over: false, deeds: resume(sight, checkpoint, NO_PLACE) } : { over: true, stays, deeds: anew };
  },
};

const NO_PLACE = { [START_ON]: null, [START_AWAY_FROM]: null };

/** An instance that was made for a place, and has found none, has to be made anew without. */
function placeless(sight: Active, { step, instanceUID }: Checkpoint): readonly Deed[] {
  const { live, ends } = powerOf(sight);
  if (step !== 'Starting' || live === undefined || ends || live.metadata.uid === instanceUID) return [];
  return live.status?.nodeName === undefined ? [{ do: 'power', action: 'restart', force: true }] : [];
}

function leaving(sight: Active, checkpoint: Checkpoint): Turn {
  const { instance } = sight;
  const another = instance !== undefined && instance.metadata.uid !== checkpoint.instanceUID;
  const turn = another ? undefined : comeToStandstill(sight);
  if (turn !== undefined) return turn;
  return {
    to: 'go on',
    checkpoint: { step: 'Starting' },
    progress: 50,
    message: 'the machine stands still, and is being started elsewhere',
    deeds: resume(sight, checkpoint, placeOf(sight)),
  };
}

function placeOf(sight: Active): Record<string, string | null> {
  const { operation } = sight;
  const { targetNode = '' } = operation.spec.migrateSpec ?? {};
  if (targetNode !== '') return { ...NO_PLACE, [START_ON]: hostnameOf(sight, targetNode) };
  return { ...NO_PLACE, [START_AWAY_FROM]: hostnameOf(sight, operation.status?.result?.sourceNode ?? '') };
}

function startingElsewhere(sight: Active, checkpoint: Checkpoint): Turn {
  const { operation, vm, now } = sight;
  const { runs, live, comes, off } = powerOf(sight);
  const cleared = { do: 'change machine', body: { metadata: { annotations: NO_PLACE } } } as const;
  if (runs && live?.metadata.uid !== checkpoint.instanceUID) {
    const { targetNode = '' } = operation.spec.migrateSpec ?? {};
    const node = live?.status?.nodeName ?? '';
    if (targetNode !== '' && node !== targetNode) {
      const message = `the machine runs on node ${node}, not on ${targetNode}: its own placement, or somebody who started it meanwhile, wanted it so`;
      return fail('WrongNode', message, [cleared]);
    }
    const downtimeMs = Math.max(0, now - Date.parse(checkpoint.since ?? ''));
    const result = { targetNode: node, live: false, downtimeMs, transferredBytes: 0 };
    return { to: 'succeed', message: `the machine runs on node ${node}`, result, deeds: [cleared] };
  }
  if (live !== undefined || comes || !off) return { to: 'go on', progress: 70 };
  // With the word of where it is to start, the start itself was written.
  const place = placeOf(sight);
  const told = Object.entries(place).every(([name, value]) => (vm.metadata.annotations?.[name] ?? null) === value);
  const spec = powerFieldsIn(checkpoint.before ?? '{}');
  if (told && Object.keys(spec).length > 0)
    return fail('Stopped', 'the machine was stopped by somebody else before it ran again', [cleared]);
  return { to: 'go on', deeds: resume(sight, checkpoint, place) };
}
