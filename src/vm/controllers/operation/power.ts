import { START_NOW } from '#api/operation-request';
import { hasCondition } from '#vm/engine/condition';
import type { PowerAction, Problem } from '#vm/engine/dialect';
import { type Course, type Deed, fail, NOT_YET, stays, type Turn, WAIT } from './course.ts';
import type { Checkpoint } from './operation.ts';
import { type Active, isMigrating, powerOf } from './sight.ts';

/** The machine runs in the end, whoever started it. */
export const start: Course = {
  begin(sight) {
    if (powerOf(sight).runs) return { to: 'succeed', message: `the machine was running already${pausedWords(sight)}` };
    return starting(sight, 'the machine is being started');
  },
  go(sight) {
    const { runs, live } = powerOf(sight);
    if (runs) return { to: 'succeed', message: `the machine runs on node ${live?.status?.nodeName ?? ''}` };
    return starting(sight);
  },
  giveUp: () => stays('the machine had been told to start by then, and still is to; stop it where it is not to run'),
};

function starting(sight: Active, message?: string): Turn {
  const { live, comes, off } = powerOf(sight);
  const refusal = refusalOf(sight, 'start');
  const words = { checkpoint: { step: 'Starting' }, progress: 10, ...(message === undefined ? {} : { message }) };
  const { waits } = off && comes ? (sight.dialect.startGate?.(sight.vm) ?? {}) : {};
  if (waits !== undefined) return waitingFor(sight, waits, words);
  // One that is still ending has to be gone before another can come.
  if (live !== undefined || !off) return { to: 'go on', ...words };
  if (comes && (refusal !== undefined || !isHeldBack(sight))) return { to: 'go on', ...words };
  if (refusal !== undefined) return fail('WrongPowerState', `the machine cannot be started: ${refusal}`);
  return { to: 'go on', ...words, deeds: [{ do: 'power', action: 'start', force: false }] };
}

/** A machine that waits of its own will is left to it, and nobody else has to wait for that; force starts it now. */
function waitingFor(sight: Active, { reason, message }: Problem, words: object): Turn {
  const { operation, vm } = sight;
  if (!operation.spec.force) {
    const text = `the machine is told to run, and waits: ${message}; an operation with force starts it now`;
    return { to: 'succeed', reason, message: text };
  }
  const now = `${vm.metadata.generation}`;
  if (vm.metadata.annotations?.[START_NOW] === now) return { to: 'go on', ...words };
  const body = { metadata: { annotations: { [START_NOW]: now } } };
  return { to: 'go on', ...words, deeds: [{ do: 'change machine', body }] };
}

const pausedWords = ({ instance }: Active) =>
  hasCondition(instance?.status?.conditions, 'Paused') ? ', and is paused' : '';

/** Whether a machine that ended by itself is left alone for a while before it is started again. */
function isHeldBack({ dialect, vm, now }: Active): boolean {
  return Date.parse(dialect.recordedState(vm).restarts?.retryAfter ?? '') > now;
}

/** Whether nothing runs or comes, and the machine is told so: one that has ended by itself may be told to run still. */
function isStopped(sight: Active): boolean {
  const { off, comes } = powerOf(sight);
  return off && !comes && refusalOf(sight, 'stop') !== undefined;
}

/** The instance that ran is gone in the end, and none comes after it. */
export const stop: Course = {
  begin(sight) {
    if (isStopped(sight)) return { to: 'succeed', message: 'the machine was stopped already' };
    if (isMigrating(sight) && !sight.operation.spec.force) return beingMoved(sight);
    const { instance } = sight;
    const turn = stopping(sight, instance?.metadata.uid);
    if (turn.to !== 'go on') return turn;
    const checkpoint = { step: 'Stopping', ...(instance === undefined ? {} : { instanceUID: instance.metadata.uid }) };
    return { ...turn, checkpoint, progress: 10, message: 'the machine is being stopped' };
  },
  go(sight, { instanceUID }) {
    const { ends, live } = powerOf(sight);
    if (isStopped(sight)) return { to: 'succeed', message: 'the machine is stopped' };
    const another = live !== undefined && instanceUID !== undefined && live.metadata.uid !== instanceUID;
    if (another && !ends)
      return { to: 'succeed', message: 'the machine was stopped, and has been started again since' };
    return stopping(sight, live?.metadata.uid);
  },
  giveUp: ({ operation }) =>
    stays(
      operation.spec.force
        ? 'the machine had been told to stop by then, and still is to'
        : 'the machine had been told to stop by then, and still is to; force cuts its power',
    ),
};

/** Tells the machine to stop, unless it has been told. */
export function stopping(sight: Active, instanceUID: string | undefined): Turn {
  const { force } = sight.operation.spec;
  const { ends, off, comes } = powerOf(sight);
  const told = sight.instance !== undefined && ends;
  if (told) return { to: 'go on', deeds: cutting(sight, force) };
  if (isStopped(sight)) return WAIT;
  const refusal = refusalOf(sight, 'stop');
  if (refusal !== undefined) {
    const why = off && comes ? `${refusal} at the moment, and its spec has it started again` : refusal;
    return fail('WrongPowerState', `the machine cannot be stopped: ${why}`);
  }
  return { to: 'go on', deeds: [{ do: 'power', action: 'stop', force: force && instanceUID !== undefined }] };
}

/** A guest that was given time before has it cut short. */
export function cutting({ instance }: Pick<Active, 'instance'>, force: boolean): readonly Deed[] {
  if (!force || instance === undefined || instance.spec.terminationGracePeriodSeconds === 0) return [];
  return [{ do: 'cut' }];
}

/** Another instance runs in the end than the one that ran before; one that was stopped is started. */
export const restart: Course = {
  begin(sight) {
    const { live, comes } = powerOf(sight);
    const waits = isHeldBack(sight) || sight.dialect.startGate?.(sight.vm)?.waits !== undefined;
    if (live === undefined && comes && !waits) return NOT_YET;
    if (live === undefined) return starting(sight, 'the machine was stopped, and is being started');
    if (isMigrating(sight) && !sight.operation.spec.force) return beingMoved(sight);
    const refusal = refusalOf(sight, 'restart');
    // What was asked for before is about to be done.
    if (refusal !== undefined && sight.dialect.recordedState(sight.vm).requests.length > 0) return NOT_YET;
    if (refusal !== undefined) return fail('WrongPowerState', `the machine cannot be restarted: ${refusal}`);
    return {
      to: 'go on',
      checkpoint: { step: 'Restarting', instanceUID: live.metadata.uid },
      progress: 10,
      message: 'the machine is being restarted',
      deeds: [{ do: 'power', action: 'restart', force: sight.operation.spec.force }],
    };
  },
  go: (sight, checkpoint) => (checkpoint.step === 'Starting' ? startingStopped(sight) : restarting(sight, checkpoint)),
  giveUp: () => stays('the machine had been told to restart by then, and goes on with it'),
};

function startingStopped(sight: Active): Turn {
  const { runs, live } = powerOf(sight);
  const node = live?.status?.nodeName ?? '';
  if (!runs) return starting(sight);
  return { to: 'succeed', message: `the machine was stopped, and runs on node ${node}` };
}

function restarting(sight: Active, { instanceUID }: Checkpoint): Turn {
  const { runs, live, ends, comes, off } = powerOf(sight);
  const { instance, operation } = sight;
  if (instance?.metadata.uid === instanceUID && instance !== undefined) {
    if (ends) return { to: 'go on', deeds: cutting(sight, operation.spec.force) };
    if (live === undefined) return WAIT;
    const refusal = refusalOf(sight, 'restart');
    if (refusal !== undefined) return fail('WrongPowerState', `the machine cannot be restarted: ${refusal}`);
    return { to: 'go on', deeds: [{ do: 'power', action: 'restart', force: operation.spec.force }] };
  }
  if (runs) return { to: 'succeed', message: `the machine runs again on node ${live?.status?.nodeName ?? ''}` };
  if (off && !comes) return fail('Stopped', 'the machine was stopped by somebody else while it was being restarted');
  return { to: 'go on', progress: 60 };
}

/** What the dialect says against an action; undefined where nothing is. A request that stands already is waited for. */
export function refusalOf({ dialect, vm, instance, operation }: Active, action: PowerAction): string | undefined {
  const options = action === 'stop' && operation.spec.force ? { gracePeriodSeconds: 0 } : {};
  return dialect.power(vm, action, instance, options).conflict;
}

function beingMoved({ instance }: Active): Turn {
  const { targetNode = '' } = instance?.status?.migrationState ?? {};
  const message = `the machine is on its way to node ${targetNode}: try again when it has arrived, or use force`;
  return fail('Migrating', message);
}
