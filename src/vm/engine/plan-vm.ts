import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { Blocker, DesiredVm, Problem, RecordedState } from './dialect.ts';
import {
  failureReason,
  hasRun,
  isFinal,
  isMarkedForEvacuation,
  isTerminating,
  ownership,
  startedAt,
  steadyAt,
} from './instance-state.ts';
import type { SpecChanges } from './spec-changes.ts';

/** Everything that decides the next action for a VM. */
export interface VmSituation {
  readonly vm: {
    readonly uid: string;
    /** The spec has changed since the last observation, so that earlier failures may not recur. */
    readonly changed?: boolean;
    /** The VM is terminating, either with its instance or leaving it behind. */
    readonly leaving?: 'with its instance' | 'alone';
  };
  readonly desired: DesiredVm;
  /** State recorded after the last observation of the instance. */
  readonly recorded: RecordedState;
  /** Instance with the name of the VM, with any owner or none. */
  readonly instance: VirtualMachineInstance | undefined;
  /** Spec changes since the instance was created. */
  readonly changes: SpecChanges;
  /** Time when the instance was first seen marked for evacuation. If unset, it was long ago. */
  readonly evacuationRequested?: number | undefined;
  readonly now: number;
}

/**
 * Delay before a VM that evacuates by a restart is stopped. An eviction must get its response before the pod ends,
 * otherwise a descheduler attributes the end to another eviction and waits for its own in vain.
 */
const EVACUATES_AFTER_MS = 1_000;

export type VmAction =
  | { readonly do: 'create'; readonly paused: boolean }
  | { readonly do: 'delete'; readonly why: string }
  /** Takes ownership of an instance without an owner. */
  | { readonly do: 'adopt' }
  | { readonly do: 'update' }
  /** Does nothing before this time. */
  | { readonly do: 'wait'; readonly until: number }
  /** Releases the VM, which nothing holds any more. */
  | { readonly do: 'release' };

/** Returns the actions to take now. Further actions follow once these have taken effect. */
export function planVm(situation: VmSituation): VmAction[] {
  const { vm, instance } = situation;
  const whose = instance === undefined ? undefined : ownership(instance, vm.uid);
  if (vm.leaving !== undefined) {
    if (instance === undefined || whose !== 'own' || vm.leaving === 'alone') return [{ do: 'release' }];
    return isTerminating(instance) ? [] : [{ do: 'delete', why: 'the VM is being deleted' }];
  }
  if (instance === undefined) return planStart(situation);
  if (isTerminating(instance) || whose === 'other') return [];
  return whose === 'own' ? planInstance(situation, instance) : [{ do: 'adopt' }];
}

function planStart({ vm, desired, recorded, now }: VmSituation): VmAction[] {
  if (!shouldStart(desired, recorded)) return [];
  if (desired.blocked !== undefined) {
    const { until: over } = desired.blocked;
    return over === undefined ? [] : [{ do: 'wait', until: over }];
  }
  const until = Date.parse(recorded.startFailure?.retryAfterTimestamp ?? '');
  if (until > now && vm.changed !== true) return [{ do: 'wait', until }];
  const pause = Date.parse(recorded.restarts?.retryAfter ?? '');
  if (pause > now) return [{ do: 'wait', until: pause }];
  const [request] = recorded.requests;
  return [{ do: 'create', paused: request?.action === 'Start' && request.data?.['paused'] === 'true' }];
}

function planInstance(situation: VmSituation, instance: VirtualMachineInstance): VmAction[] {
  const { desired, recorded, changes, evacuationRequested = Number.NEGATIVE_INFINITY, now } = situation;
  const why = reasonToStop(desired, recorded, instance);
  if (why !== undefined) return [{ do: 'delete', why }];
  if (desired.evacuatesByRestart === true && isMarkedForEvacuation(instance)) {
    const until = evacuationRequested + EVACUATES_AFTER_MS;
    return until > now
      ? [{ do: 'wait', until }]
      : [{ do: 'delete', why: `the VM is evacuating node ${instance.status?.nodeName}` }];
  }
  const isChanged = changes.live !== undefined || changes.annotations !== undefined;
  if (isChanged && !isFinal(instance)) return [{ do: 'update' }];
  // The cause of earlier failures may still end this instance until it has run for a while.
  const unsteady = recorded.startFailure !== undefined && instance.status?.phase === 'Running';
  const started = startedAt(instance);
  return unsteady ? [{ do: 'wait', until: started > now ? started : steadyAt(instance) }] : [];
}

/** Reports whether a VM without an instance should get one. */
export function shouldStart({ runStrategy }: DesiredVm, recorded: RecordedState): boolean {
  const requested = recorded.requests[0]?.action === 'Start';
  switch (runStrategy) {
    case 'Always':
      // A start request overrides an earlier decision, even if the recorded state does not show it yet.
      return recorded.restarts?.gaveUp === undefined || recorded.requests.some(({ action }) => action === 'Start');
    case 'Once':
      return true;
    case 'Halted':
      return false;
    case 'Manual':
      return requested;
    case 'RerunOnFailure':
      // The VM has not started under this strategy yet, or should start again.
      return requested || recorded.runStrategy !== runStrategy;
  }
}

function reasonToStop(
  { runStrategy }: DesiredVm,
  recorded: RecordedState,
  instance: VirtualMachineInstance,
): string | undefined {
  const [request] = recorded.requests;
  if (runStrategy === 'Halted') return 'the run strategy is Halted';
  if (request?.action === 'Stop' && request.uid === instance.metadata.uid) return 'a stop was requested';
  if (!isFinal(instance)) return undefined;
  if (runStrategy === 'Always' && recorded.restarts?.gaveUp !== undefined) return undefined;
  if (runStrategy === 'Always') return 'it has finished, and the run strategy is Always';
  if (runStrategy === 'RerunOnFailure') return `it has finished as ${instance.status?.phase}`;
  return undefined;
}

/** Returns why a VM is not in its desired state, if that is known now. */
export function problemOf({ vm, desired, recorded, instance }: VmSituation): Problem | undefined {
  if (instance === undefined) return shouldStart(desired, recorded) ? problemOfBlocker(desired.blocked) : undefined;
  const whose = ownership(instance, vm.uid);
  if (whose === 'other') return ownedByOther(instance);
  if (whose !== 'own') return undefined;
  const { startFailure } = recorded;
  if (startFailure === undefined || startFailure.lastFailedVMIUID !== instance.metadata.uid) return undefined;
  const { reason, message } = failureReason(instance);
  const times = startFailure.consecutiveFailCount === 1 ? '' : `, ${startFailure.consecutiveFailCount} times in a row`;
  const when = hasRun(instance) ? 'shortly after it started running' : 'before it was running';
  return { reason, message: `the VM terminated ${when}${times}: ${message}` };
}

const problemOfBlocker = (blocker: Blocker | undefined): Problem | undefined =>
  blocker === undefined
    ? undefined
    : {
        reason: blocker.reason,
        message: blocker.message,
        ...(blocker.asked === undefined ? {} : { asked: blocker.asked }),
      };

function ownedByOther({ metadata }: VirtualMachineInstance): Problem {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return {
    reason: 'InstanceOwnedByOther',
    message: `VirtualMachineInstance ${metadata.name} belongs to ${owner?.kind} ${owner?.name} (uid ${owner?.uid}) and is not managed: the VM cannot start while it exists`,
  };
}
