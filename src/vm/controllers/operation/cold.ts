import { START_AWAY_FROM, START_ON } from '#api/operation-request';
import { hostnameOf, placementResult } from './migrate.ts';
import type { Checkpoint } from './operation.ts';
import {
  type AbortResult,
  fail,
  NOT_YET,
  type OperationHandler,
  type StepResult,
  WAIT,
  type WriteAction,
} from './operation-handler.ts';
import { type ActiveOperationView, powerState } from './operation-view.ts';
import { beginStop, continueStop, powerFieldsIn, restorePower } from './stop.ts';

/** Stops the VM, and starts it on another node. */
export const coldMigration: OperationHandler = {
  needsFinalizer: () => true,
  begin(view) {
    const { live, isRunning, willStart } = powerState(view);
    const already = placementResult(view);
    if (already !== undefined)
      return already.to === 'succeed' ? { ...already, result: { ...already.result, live: false } } : already;
    if (!isRunning && (willStart || live !== undefined)) return NOT_YET;
    if (live === undefined)
      return fail(
        'WrongPowerState',
        'the VM is not running and has no node to leave: nothing has been changed; it is scheduled when it starts',
      );
    const turn = beginStop(view);
    if (turn?.to !== 'continue') return turn ?? WAIT;
    return { ...turn, result: { sourceNode: live.status?.nodeName ?? '', live: false } };
  },
  advance: (view, checkpoint) =>
    checkpoint.step === 'Starting' ? startElsewhere(view, checkpoint) : stopOnSource(view, checkpoint),
  abort(view, checkpoint): AbortResult {
    const stays = 'the VM keeps running, or is restarted on a node chosen by the scheduler';
    const restart = restartWithoutPlacement(view, checkpoint);
    if (restart.length === 0) return { finished: true, stays, actions: restorePower(view, checkpoint, NO_PLACE) };
    const { annotations = {} } = view.vm.metadata;
    const isTold = Object.keys(NO_PLACE).some((name) => Object.hasOwn(annotations, name));
    return isTold
      ? { finished: false, actions: restorePower(view, checkpoint, NO_PLACE) }
      : { finished: true, stays, actions: restart };
  },
};

const NO_PLACE = { [START_ON]: null, [START_AWAY_FROM]: null };

/** Recreates an instance that was created for a placement and found no node, now without that placement. */
function restartWithoutPlacement(view: ActiveOperationView, { step, instanceUID }: Checkpoint): readonly WriteAction[] {
  const { live, isStopping } = powerState(view);
  if (step !== 'Starting' || live === undefined || isStopping || live.metadata.uid === instanceUID) return [];
  return live.status?.nodeName === undefined ? [{ do: 'power', action: 'restart', force: true }] : [];
}

function stopOnSource(view: ActiveOperationView, checkpoint: Checkpoint): StepResult {
  const { instance } = view;
  const another = instance !== undefined && instance.metadata.uid !== checkpoint.instanceUID;
  const turn = another ? undefined : continueStop(view);
  if (turn !== undefined) return turn;
  return {
    to: 'continue',
    checkpoint: { step: 'Starting' },
    progress: 50,
    message: 'the VM is stopped and is starting on another node',
    actions: restorePower(view, checkpoint, placeOf(view)),
  };
}

function placeOf(view: ActiveOperationView): Record<string, string | null> {
  const { operation } = view;
  const { targetNode = '' } = operation.spec.migrateSpec ?? {};
  if (targetNode !== '') return { ...NO_PLACE, [START_ON]: hostnameOf(view, targetNode) };
  return { ...NO_PLACE, [START_AWAY_FROM]: hostnameOf(view, operation.status?.result?.sourceNode ?? '') };
}

function startElsewhere(view: ActiveOperationView, checkpoint: Checkpoint): StepResult {
  const { operation, vm, now } = view;
  const { isRunning, live, willStart, isOff } = powerState(view);
  const cleared = { do: 'patch VM', body: { metadata: { annotations: NO_PLACE } } } as const;
  if (isRunning && live?.metadata.uid !== checkpoint.instanceUID) {
    const { targetNode = '' } = operation.spec.migrateSpec ?? {};
    const node = live?.status?.nodeName ?? '';
    if (targetNode !== '' && node !== targetNode) {
      const message = `the VM is running on node ${node} instead of ${targetNode}, because of its own placement or because it was started by another client`;
      return fail('WrongNode', message, [cleared]);
    }
    const downtimeMs = Math.max(0, now - Date.parse(checkpoint.since ?? ''));
    const result = { targetNode: node, live: false, downtimeMs, transferredBytes: 0 };
    return { to: 'succeed', message: `the VM is running on node ${node}`, result, actions: [cleared] };
  }
  if (live !== undefined || willStart || !isOff) return { to: 'continue', progress: 70 };
  // The start was written together with the placement annotations.
  const place = placeOf(view);
  const reported = Object.entries(place).every(([name, value]) => (vm.metadata.annotations?.[name] ?? null) === value);
  const spec = powerFieldsIn(checkpoint.before ?? '{}');
  if (reported && Object.keys(spec).length > 0)
    return fail('Stopped', 'the VM was stopped by another client before it was running again', [cleared]);
  return { to: 'continue', actions: restorePower(view, checkpoint, place) };
}
