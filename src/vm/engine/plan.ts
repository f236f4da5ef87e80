import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { DesiredMachine, MachineMemory, Obstacle, Problem } from './dialect.ts';
import { belonging, everRan, isFinal, isGoing, isToLeave, steadyAt, whyOf } from './instance-state.ts';
import type { SpecChanges } from './spec-changes.ts';

/** All that decides what happens to a machine. */
export interface Situation {
  readonly machine: {
    readonly uid: string;
    /** The spec was changed since anybody looked: whatever failed may go well now. */
    readonly changed?: boolean;
    /** The machine is on its way out, and its instance goes with it or stays behind. */
    readonly leaving?: 'with its instance' | 'alone';
  };
  readonly desired: DesiredMachine;
  /** What is remembered after the last look at the instance. */
  readonly memory: MachineMemory;
  /** The instance by the name of the machine, whosever it is. */
  readonly instance: VirtualMachineInstance | undefined;
  /** What was changed since the instance was made. */
  readonly changes: SpecChanges;
  /** When the instance was first seen to have to leave its node; long ago where absent. */
  readonly askedToLeave?: number | undefined;
  readonly now: number;
}

/**
 * How long a machine that leaves by a restart stays after it was asked to: whoever asked by an eviction is to have the
 * answer before the pod ends, or a descheduler takes the end for that of another eviction and waits for its own in vain.
 */
const LEAVES_AFTER_MS = 1_000;

export type Action =
  | { readonly do: 'create'; readonly paused: boolean }
  | { readonly do: 'delete'; readonly why: string }
  /** An instance that is nobody's becomes the machine's own. */
  | { readonly do: 'adopt' }
  | { readonly do: 'update' }
  /** Nothing before this time. */
  | { readonly do: 'wait'; readonly until: number }
  /** Nothing holds the machine any more. */
  | { readonly do: 'release' };

/** What is to be done now; the rest follows when that has had its effect. */
export function plan(situation: Situation): Action[] {
  const { machine, instance } = situation;
  const whose = instance === undefined ? undefined : belonging(instance, machine.uid);
  if (machine.leaving !== undefined) {
    if (instance === undefined || whose !== 'own' || machine.leaving === 'alone') return [{ do: 'release' }];
    return isGoing(instance) ? [] : [{ do: 'delete', why: 'the machine is being deleted' }];
  }
  if (instance === undefined) return planStart(situation);
  if (isGoing(instance) || whose === 'other') return [];
  return whose === 'own' ? planInstance(situation, instance) : [{ do: 'adopt' }];
}

function planStart({ machine, desired, memory, now }: Situation): Action[] {
  if (!isToStart(desired, memory)) return [];
  if (desired.blocked !== undefined) {
    const { until: over } = desired.blocked;
    return over === undefined ? [] : [{ do: 'wait', until: over }];
  }
  const until = Date.parse(memory.startFailure?.retryAfterTimestamp ?? '');
  if (until > now && machine.changed !== true) return [{ do: 'wait', until }];
  const pause = Date.parse(memory.restarts?.retryAfter ?? '');
  if (pause > now) return [{ do: 'wait', until: pause }];
  const [request] = memory.requests;
  return [{ do: 'create', paused: request?.action === 'Start' && request.data?.['paused'] === 'true' }];
}

function planInstance(situation: Situation, instance: VirtualMachineInstance): Action[] {
  const { desired, memory, changes, askedToLeave = Number.NEGATIVE_INFINITY, now } = situation;
  const why = reasonToStop(desired, memory, instance);
  if (why !== undefined) return [{ do: 'delete', why }];
  if (desired.leavesByRestart === true && isToLeave(instance)) {
    const until = askedToLeave + LEAVES_AFTER_MS;
    return until > now
      ? [{ do: 'wait', until }]
      : [{ do: 'delete', why: `it is to leave node ${instance.status?.nodeName}` }];
  }
  const isChanged = changes.live !== undefined || changes.annotations !== undefined;
  if (isChanged && !isFinal(instance)) return [{ do: 'update' }];
  // Until it has run for a while, what was wrong with those before may be wrong with it.
  const unsteady = memory.startFailure !== undefined && instance.status?.phase === 'Running';
  return unsteady ? [{ do: 'wait', until: steadyAt(instance) }] : [];
}

/** Whether a machine without an instance is to have one. */
export function isToStart({ runStrategy }: DesiredMachine, memory: MachineMemory): boolean {
  const asked = memory.requests[0]?.action === 'Start';
  switch (runStrategy) {
    case 'Always':
      // A start that was asked for overrules what was decided before, though it may not be remembered so yet.
      return memory.restarts?.gaveUp === undefined || memory.requests.some(({ action }) => action === 'Start');
    case 'Once':
      return true;
    case 'Halted':
      return false;
    case 'Manual':
      return asked;
    case 'RerunOnFailure':
      // It has not begun under this strategy yet, or is to begin again.
      return asked || memory.runStrategy !== runStrategy;
  }
}

function reasonToStop(
  { runStrategy }: DesiredMachine,
  memory: MachineMemory,
  instance: VirtualMachineInstance,
): string | undefined {
  const [request] = memory.requests;
  if (runStrategy === 'Halted') return 'the machine is to be stopped';
  if (request?.action === 'Stop' && request.uid === instance.metadata.uid) return 'a stop was asked for';
  if (!isFinal(instance)) return undefined;
  if (runStrategy === 'Always' && memory.restarts?.gaveUp !== undefined) return undefined;
  if (runStrategy === 'Always') return 'it has ended, and the machine is to run always';
  if (runStrategy === 'RerunOnFailure') return `it has ended as ${instance.status?.phase}`;
  return undefined;
}

/** What keeps a machine from being what it should be, where that can be told now. */
export function problemOf({ machine, desired, memory, instance }: Situation): Problem | undefined {
  if (instance === undefined) return isToStart(desired, memory) ? problemIn(desired.blocked) : undefined;
  const whose = belonging(instance, machine.uid);
  if (whose === 'other') return ownedByOther(instance);
  if (whose !== 'own') return undefined;
  const { startFailure } = memory;
  if (startFailure === undefined || startFailure.lastFailedVMIUID !== instance.metadata.uid) return undefined;
  const { reason, message } = whyOf(instance);
  const times = startFailure.consecutiveFailCount === 1 ? '' : `, ${startFailure.consecutiveFailCount} times in a row`;
  const when = everRan(instance) ? 'right after it began to run' : 'before it ran';
  return { reason, message: `the machine ended ${when}${times}: ${message}` };
}

const problemIn = (obstacle: Obstacle | undefined): Problem | undefined =>
  obstacle === undefined
    ? undefined
    : {
        reason: obstacle.reason,
        message: obstacle.message,
        ...(obstacle.asked === undefined ? {} : { asked: obstacle.asked }),
      };

function ownedByOther({ metadata }: VirtualMachineInstance): Problem {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return {
    reason: 'InstanceOwnedByOther',
    message: `VirtualMachineInstance ${metadata.name} belongs to ${owner?.kind} ${owner?.name} (uid ${owner?.uid}) and is left alone: the machine cannot start while it is there`,
  };
}
