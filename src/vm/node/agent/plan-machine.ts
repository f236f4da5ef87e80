import { PAUSED_ANNOTATION, RESET_ANNOTATION, SOFT_REBOOT_ANNOTATION } from '#api/instance-request';
import type { Vmi } from '#api/kubevirt/resources';
import { DEFAULT_GRACE_SECONDS } from '#api/launcher';
import type { Pod } from '#platform/kube/kinds/pod';
import { isAlive, type Machine } from '../machine-driver.ts';
import { allocatedSize } from '../machine-spec.ts';
import { isPodTerminated } from '../pod/pod-status.ts';
import { roleOf } from './role.ts';
import type { Cause } from './termination.ts';

/** Everything that decides the next action for the machine of a launcher pod. */
export interface AgentView {
  readonly node: string;
  readonly pod: Pod;
  /** Instance that the pod was created for, by UID. */
  readonly instance: Vmi | undefined;
  /** Machine of this instance on this node that belongs to this pod. */
  readonly machine: Machine | undefined;
  /** The machine is prepared, but must not run yet. */
  readonly held: boolean;
  /** Grace period of the last shutdown request to the guest, if there was one. */
  readonly requestedGraceMs: number | undefined;
  /** Something still prevents the pod from running. */
  readonly waiting: boolean;
  /** The node may begin actions. False while the node may be taken for lost. */
  readonly leaseHeld: boolean;
  /** It is not known yet whether a machine that ran here before the node agent started may be adopted. */
  readonly undecided: boolean;
  /** The liveness probe has failed for good. */
  readonly unhealthy: boolean;
}

export type MachineAction =
  | { readonly do: 'start' }
  | { readonly do: 'adopt' }
  | { readonly do: 'stop'; readonly graceMs: number }
  | { readonly do: 'kill'; readonly why: string; readonly cause?: Cause }
  | { readonly do: 'pause' }
  | { readonly do: 'resume' }
  /** Removes the request from the instance, and then carries it out. */
  | { readonly do: 'reset'; readonly annotation: string }
  | { readonly do: 'soft reboot'; readonly annotation: string }
  | { readonly do: 'prepare'; readonly migrationUid: string }
  | { readonly do: 'resize'; readonly sockets: number; readonly memoryBytes: number }
  | { readonly do: 'migrate'; readonly migrationUid: string; readonly address: string }
  | { readonly do: 'cancel migration' };

/** Returns the actions to take now. Further actions follow once these have taken effect. */
export function planMachine(observed: AgentView): MachineAction[] {
  const { pod, instance, machine, node } = observed;
  const role = roleOf(pod, instance, node);
  if (role === 'none' || instance === undefined) {
    return isAlive(machine)
      ? [{ do: 'kill', why: 'its instance was deleted, has finished, or is on another node' }]
      : [];
  }
  return role === 'target' ? planTarget(observed, instance) : planHome(observed, instance);
}

function planTarget({ pod, machine, leaseHeld }: AgentView, { metadata, status }: Vmi): MachineAction[] {
  const { migrationState } = status ?? {};
  const over = migrationState?.completed === true || migrationState?.abortRequested === true;
  const termination = metadata.deletionTimestamp !== undefined || pod.metadata.deletionTimestamp !== undefined;
  // A machine that has arrived is the active one, whatever else is requested. Its status will follow.
  if (machine !== undefined && machine.state !== 'incoming') return [];
  if (over || termination)
    return machine === undefined ? [] : [{ do: 'kill', why: 'the migration to this node has finished' }];
  const { migrationUid, targetNodeAddress = '', startTimestamp = '' } = migrationState ?? {};
  if (migrationUid === undefined || !leaseHeld || isPodTerminated(pod)) return [];
  // A restarted node agent waits again for a migration that has not begun, as the source would retry forever.
  const ready = machine !== undefined && targetNodeAddress !== '';
  return ready || (startTimestamp ?? '') !== '' ? [] : [{ do: 'prepare', migrationUid }];
}

function planHome(observed: AgentView, instance: Vmi): MachineAction[] {
  const { pod, machine, held, waiting, leaseHeld, unhealthy } = observed;
  const { phase } = instance.status ?? {};
  const termination = remainingGraceMs(instance, pod);
  if (machine === undefined) {
    // A machine that was reported as ended does not come back.
    if (isPodTerminated(pod)) return [];
    if (phase === 'Running') return observed.undecided ? [] : [{ do: 'adopt' }];
    return termination !== undefined || waiting || !leaseHeld ? [] : [{ do: 'start' }];
  }
  if (!isAlive(machine)) return [];
  if (held) return termination === undefined ? [] : [{ do: 'kill', why: 'it is no longer needed' }];
  if (termination !== undefined) {
    const requested = machine.state === 'stopping' ? observed.requestedGraceMs : undefined;
    return requested !== undefined && requested <= termination ? [] : [{ do: 'stop', graceMs: termination }];
  }
  if (unhealthy) return [{ do: 'kill', why: 'its liveness probe failed', cause: 'LivenessProbeFailed' }];
  if (machine.state !== 'running' && machine.state !== 'paused') return [];
  return [
    ...planPower(machine, instance),
    ...planSize(machine, instance, pod),
    ...planMigration(machine, instance, pod),
  ];
}

/** Returns how long the machine may take to end, in milliseconds, if its end was requested. */
function remainingGraceMs({ metadata, spec }: Vmi, pod: Pod): number | undefined {
  const graces: number[] = [];
  if (metadata.deletionTimestamp !== undefined) {
    graces.push(spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    graces.push(pod.metadata.deletionGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
  }
  return graces.length === 0 ? undefined : Math.min(...graces) * 1000;
}

function planPower({ state, diskFull = false }: Machine, { metadata, spec }: Vmi): MachineAction[] {
  const annotations = metadata.annotations ?? {};
  const requested = annotations[PAUSED_ANNOTATION];
  const paused = requested === undefined ? spec.startStrategy === 'Paused' : requested === 'true';
  const actions: MachineAction[] = [];
  if (paused && state === 'running') actions.push({ do: 'pause' });
  if (!paused && state === 'paused' && !diskFull) actions.push({ do: 'resume' });
  if (annotations[RESET_ANNOTATION] !== undefined) actions.push({ do: 'reset', annotation: RESET_ANNOTATION });
  if (annotations[SOFT_REBOOT_ANNOTATION] !== undefined) {
    actions.push({ do: 'soft reboot', annotation: SOFT_REBOOT_ANNOTATION });
  }
  return actions;
}

/** Resizes a machine that has arrived by migration to the size of its new pod. */
function planSize({ spec: current, migration }: Machine, instance: Vmi, pod: Pod): MachineAction[] {
  const { sockets, memoryBytes } = allocatedSize(instance, pod);
  const same = sockets === current.cpu.sockets && memoryBytes === current.memoryBytes;
  if (same || migration?.state === 'active') return [];
  const fits = sockets <= current.maxSockets && memoryBytes <= current.maxMemoryBytes && memoryBytes > 0;
  return fits ? [{ do: 'resize', sockets, memoryBytes }] : [];
}

function planMigration({ migration }: Machine, { status }: Vmi, { metadata }: Pod): MachineAction[] {
  const { migrationUid, sourcePod, targetNodeAddress, startTimestamp, completed, abortRequested } =
    status?.migrationState ?? {};
  const active = migration?.state === 'active';
  if (active && (abortRequested === true || migration.uid !== migrationUid)) return [{ do: 'cancel migration' }];
  const ready = targetNodeAddress !== undefined && targetNodeAddress !== '' && sourcePod === metadata.name;
  if (migrationUid === undefined || !ready || completed === true || abortRequested === true || active) return [];
  // A migration that began and is no longer known has failed, and is not restarted.
  if (migration?.uid === migrationUid || (startTimestamp ?? '') !== '') return [];
  return [{ do: 'migrate', migrationUid, address: targetNodeAddress }];
}
