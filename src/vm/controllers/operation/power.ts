import { START_NOW } from '#api/operation-request';
import { hasCondition } from '#vm/engine/condition';
import type { PowerAction, Problem } from '#vm/engine/dialect';
import type { Checkpoint } from './operation.ts';
import {
  fail,
  NOT_YET,
  type OperationHandler,
  type StepResult,
  stays,
  WAIT,
  type WriteAction,
} from './operation-handler.ts';
import { type ActiveOperationView, hasUnfinishedMigration, powerState } from './operation-view.ts';

/** Ensures that the VM runs, even if another client started it. */
export const start: OperationHandler = {
  begin(view) {
    if (powerState(view).isRunning) return { to: 'succeed', message: `the VM is already running${formatPaused(view)}` };
    return awaitStart(view, 'the VM is starting');
  },
  advance(view) {
    const { isRunning, live } = powerState(view);
    if (isRunning) return { to: 'succeed', message: `the VM is running on node ${live?.status?.nodeName ?? ''}` };
    return awaitStart(view);
  },
  abort: () => stays('the start had already been requested and continues; stop the VM if it should not run'),
};

function awaitStart(view: ActiveOperationView, message?: string): StepResult {
  const { live, willStart, isOff } = powerState(view);
  const refusal = powerDenial(view, 'start');
  const words = { checkpoint: { step: 'Starting' }, progress: 10, ...(message === undefined ? {} : { message }) };
  const { waits } = isOff && willStart ? (view.dialect.startGate?.(view.vm) ?? {}) : {};
  if (waits !== undefined) return waitingFor(view, waits, words);
  // An instance that is still stopping has to be gone before another can start.
  if (live !== undefined || !isOff) return { to: 'continue', ...words };
  if (willStart && (refusal !== undefined || !isHeldBack(view))) return { to: 'continue', ...words };
  if (refusal !== undefined) return fail('WrongPowerState', `the VM cannot be started: ${refusal}`);
  return { to: 'continue', ...words, actions: [{ do: 'power', action: 'start', force: false }] };
}

/** Lets a VM wait that delays its own start, without blocking other operations. Force starts it now. */
function waitingFor(view: ActiveOperationView, { reason, message }: Problem, words: object): StepResult {
  const { operation, vm } = view;
  if (!operation.spec.force) {
    const text = `the VM will start later: ${message}; an operation with force starts it now`;
    return { to: 'succeed', reason, message: text };
  }
  const now = `${vm.metadata.generation}`;
  if (vm.metadata.annotations?.[START_NOW] === now) return { to: 'continue', ...words };
  const body = { metadata: { annotations: { [START_NOW]: now } } };
  return { to: 'continue', ...words, actions: [{ do: 'patch VM', body }] };
}

const formatPaused = ({ instance }: ActiveOperationView) =>
  hasCondition(instance?.status?.conditions, 'Paused') ? ' and paused' : '';

/** Reports whether a VM that ended by itself is in back-off before its next start. */
function isHeldBack({ dialect, vm, now }: ActiveOperationView): boolean {
  return Date.parse(dialect.recordedState(vm).restarts?.retryAfter ?? '') > now;
}

/**
 * Reports whether nothing runs or will start, and the spec says so. A VM that ended by itself may still be meant to
 * run.
 */
function isStopped(view: ActiveOperationView): boolean {
  const { isOff, willStart } = powerState(view);
  return isOff && !willStart && powerDenial(view, 'stop') !== undefined;
}

/** Stops the running instance and prevents another from starting. */
export const stop: OperationHandler = {
  begin(view) {
    if (isStopped(view)) return { to: 'succeed', message: 'the VM is already stopped' };
    if (hasUnfinishedMigration(view) && !view.operation.spec.force) return failMigrating(view);
    const { instance } = view;
    const turn = requestStop(view, instance?.metadata.uid);
    if (turn.to !== 'continue') return turn;
    const checkpoint = { step: 'Stopping', ...(instance === undefined ? {} : { instanceUID: instance.metadata.uid }) };
    return { ...turn, checkpoint, progress: 10, message: 'the VM is stopping' };
  },
  advance(view, { instanceUID }) {
    const { isStopping, live } = powerState(view);
    if (isStopped(view)) return { to: 'succeed', message: 'the VM is stopped' };
    const another = live !== undefined && instanceUID !== undefined && live.metadata.uid !== instanceUID;
    if (another && !isStopping)
      return { to: 'succeed', message: 'the VM was stopped and has been started again since' };
    return requestStop(view, live?.metadata.uid);
  },
  abort: ({ operation }) =>
    stays(
      operation.spec.force
        ? 'the stop had already been requested and continues'
        : 'the stop had already been requested and continues; use force to power the VM off',
    ),
};

/** Requests the VM to stop, unless that was requested before. */
export function requestStop(view: ActiveOperationView, instanceUID: string | undefined): StepResult {
  const { force } = view.operation.spec;
  const { isStopping, isOff, willStart } = powerState(view);
  const reported = view.instance !== undefined && isStopping;
  if (reported) return { to: 'continue', actions: forceStop(view, force) };
  if (isStopped(view)) return WAIT;
  const refusal = powerDenial(view, 'stop');
  if (refusal !== undefined) {
    const why = isOff && willStart ? `${refusal}, and its spec will start it again` : refusal;
    return fail('WrongPowerState', `the VM cannot be stopped: ${why}`);
  }
  return { to: 'continue', actions: [{ do: 'power', action: 'stop', force: force && instanceUID !== undefined }] };
}

/** Ends the grace period of a guest that is shutting down, if forced. */
export function forceStop({ instance }: Pick<ActiveOperationView, 'instance'>, force: boolean): readonly WriteAction[] {
  if (!force || instance === undefined || instance.spec.terminationGracePeriodSeconds === 0) return [];
  return [{ do: 'force stop' }];
}

/** Replaces the running instance by a new one. A stopped VM is started. */
export const restart: OperationHandler = {
  begin(view) {
    const { live, willStart } = powerState(view);
    const waits = isHeldBack(view) || view.dialect.startGate?.(view.vm)?.waits !== undefined;
    if (live === undefined && willStart && !waits) return NOT_YET;
    if (live === undefined) return awaitStart(view, 'the VM was stopped and is starting');
    if (hasUnfinishedMigration(view) && !view.operation.spec.force) return failMigrating(view);
    const refusal = powerDenial(view, 'restart');
    // An earlier request is about to be executed.
    if (refusal !== undefined && view.dialect.recordedState(view.vm).requests.length > 0) return NOT_YET;
    if (refusal !== undefined) return fail('WrongPowerState', `the VM cannot be restarted: ${refusal}`);
    return {
      to: 'continue',
      checkpoint: { step: 'Restarting', instanceUID: live.metadata.uid },
      progress: 10,
      message: 'the VM is restarting',
      actions: [{ do: 'power', action: 'restart', force: view.operation.spec.force }],
    };
  },
  advance: (view, checkpoint) =>
    checkpoint.step === 'Starting' ? awaitStartOfStopped(view) : awaitRestart(view, checkpoint),
  abort: () => stays('the restart had already been requested and continues'),
};

function awaitStartOfStopped(view: ActiveOperationView): StepResult {
  const { isRunning, live } = powerState(view);
  const node = live?.status?.nodeName ?? '';
  if (!isRunning) return awaitStart(view);
  return { to: 'succeed', message: `the VM was stopped and is now running on node ${node}` };
}

function awaitRestart(view: ActiveOperationView, { instanceUID }: Checkpoint): StepResult {
  const { isRunning, live, isStopping, willStart, isOff } = powerState(view);
  const { instance, operation } = view;
  if (instance?.metadata.uid === instanceUID && instance !== undefined) {
    if (isStopping) return { to: 'continue', actions: forceStop(view, operation.spec.force) };
    if (live === undefined) return WAIT;
    const refusal = powerDenial(view, 'restart');
    if (refusal !== undefined) return fail('WrongPowerState', `the VM cannot be restarted: ${refusal}`);
    return { to: 'continue', actions: [{ do: 'power', action: 'restart', force: operation.spec.force }] };
  }
  if (isRunning) return { to: 'succeed', message: `the VM is running again on node ${live?.status?.nodeName ?? ''}` };
  if (isOff && !willStart) return fail('Stopped', 'the VM was stopped by another client while it was restarting');
  return { to: 'continue', progress: 60 };
}

/**
 * Returns the dialect's objection to an action, or undefined if there is none. A request that is already pending is
 * waited for.
 */
export function powerDenial(
  { dialect, vm, instance, operation }: ActiveOperationView,
  action: PowerAction,
): string | undefined {
  const options = action === 'stop' && operation.spec.force ? { gracePeriodSeconds: 0 } : {};
  return dialect.power(vm, action, instance, options).conflict;
}

function failMigrating({ instance }: ActiveOperationView): StepResult {
  const { targetNode = '' } = instance?.status?.migrationState ?? {};
  const message = `the VM is migrating to node ${targetNode}: try again when the migration is finished, or use force`;
  return fail('Migrating', message);
}
