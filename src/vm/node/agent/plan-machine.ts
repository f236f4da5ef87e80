import { PAUSED_ANNOTATION, RESET_ANNOTATION, SOFT_REBOOT_ANNOTATION } from '#api/instance-request';
import type { Vmi } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import { isAlive, type Machine } from '../machine-driver.ts';
import { allocatedSize } from '../machine-spec.ts';
import { isPodTerminated } from '../pod/pod-status.ts';
import { roleOf } from './role.ts';
import type { Cause } from './termination.ts';

/** All that decides what happens to the machine of a launcher pod. */
export interface AgentView {
  readonly node: string;
  readonly pod: Pod;
  /** The one that the pod was made for, by its uid. */
  readonly instance: Vmi | undefined;
  /** The machine of this instance on this node, in the place that this pod holds. */
  readonly machine: Machine | undefined;
  /** Whether the machine is made ready, but must not run yet. */
  readonly held: boolean;
  /** The time that the guest was last given to shut down, where it was asked to. */
  readonly requestedGraceMs: number | undefined;
  /** Whether something still keeps the pod from running. */
  readonly waiting: boolean;
  /** Whether the node may begin anything: it may not while nobody can be sure that it lives. */
  readonly leaseHeld: boolean;
  /** Whether it is not known yet if a machine that ran here before the agent did may be taken up. */
  readonly undecided: boolean;
  /** Whether the liveness probe has failed for good. */
  readonly unhealthy: boolean;
}

export type MachineAction =
  | { readonly do: 'start' }
  | { readonly do: 'adopt' }
  | { readonly do: 'stop'; readonly graceMs: number }
  | { readonly do: 'kill'; readonly why: string; readonly cause?: Cause }
  | { readonly do: 'pause' }
  | { readonly do: 'resume' }
  /** Takes the request off the instance, and then does what it asks. */
  | { readonly do: 'reset'; readonly annotation: string }
  | { readonly do: 'soft reboot'; readonly annotation: string }
  | { readonly do: 'prepare'; readonly migrationUid: string }
  | { readonly do: 'resize'; readonly sockets: number; readonly memoryBytes: number }
  | { readonly do: 'migrate'; readonly migrationUid: string; readonly address: string }
  | { readonly do: 'cancel migration' };

export const DEFAULT_GRACE_SECONDS = 30;

/** What is to be done now; the rest follows when that has had its effect. */
export function planMachine(observed: AgentView): MachineAction[] {
  const { pod, instance, machine, node } = observed;
  const role = roleOf(pod, instance, node);
  if (role === 'none' || instance === undefined) {
    return isAlive(machine) ? [{ do: 'kill', why: 'its instance is gone, has ended, or is elsewhere' }] : [];
  }
  return role === 'target' ? planTarget(observed, instance) : planHome(observed, instance);
}

function planTarget({ pod, machine, leaseHeld }: AgentView, { metadata, status }: Vmi): MachineAction[] {
  const { migrationState } = status ?? {};
  const over = migrationState?.completed === true || migrationState?.abortRequested === true;
  const termination = metadata.deletionTimestamp !== undefined || pod.metadata.deletionTimestamp !== undefined;
  // One that has arrived is the machine, whatever else is asked for: its status will follow.
  if (machine !== undefined && machine.state !== 'incoming') return [];
  if (over || termination)
    return machine === undefined ? [] : [{ do: 'kill', why: 'the migration to this node is over' }];
  const { migrationUid, targetNodeAddress = '', startTimestamp = '' } = migrationState ?? {};
  if (migrationUid === undefined || !leaseHeld || isPodTerminated(pod)) return [];
  // An agent that started again waits again for a machine that has not set out: the source would try for ever.
  const ready = machine !== undefined && targetNodeAddress !== '';
  return ready || (startTimestamp ?? '') !== '' ? [] : [{ do: 'prepare', migrationUid }];
}

function planHome(observed: AgentView, instance: Vmi): MachineAction[] {
  const { pod, machine, held, waiting, leaseHeld, unhealthy } = observed;
  const { phase } = instance.status ?? {};
  const termination = endingIn(instance, pod);
  if (machine === undefined) {
    // What has been reported as ended does not come back.
    if (isPodTerminated(pod)) return [];
    if (phase === 'Running') return observed.undecided ? [] : [{ do: 'adopt' }];
    return termination !== undefined || waiting || !leaseHeld ? [] : [{ do: 'start' }];
  }
  if (!isAlive(machine)) return [];
  if (held) return termination === undefined ? [] : [{ do: 'kill', why: 'it is not wanted any more' }];
  if (termination !== undefined) {
    const asked = machine.state === 'stopping' ? observed.requestedGraceMs : undefined;
    return asked !== undefined && asked <= termination ? [] : [{ do: 'stop', graceMs: termination }];
  }
  if (unhealthy) return [{ do: 'kill', why: 'its liveness probe failed', cause: 'LivenessProbeFailed' }];
  if (machine.state !== 'running' && machine.state !== 'paused') return [];
  return [
    ...planPower(machine, instance),
    ...planSize(machine, instance, pod),
    ...planMigration(machine, instance, pod),
  ];
}

/** How long the machine may take to end, in milliseconds, where somebody asked for its end. */
function endingIn({ metadata, spec }: Vmi, pod: Pod): number | undefined {
  const graces: number[] = [];
  if (metadata.deletionTimestamp !== undefined) {
    graces.push(spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    graces.push(pod.metadata.deletionGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
  }
  return graces.length === 0 ? undefined : Math.min(...graces) * 1000;
}

function planPower({ state }: Machine, { metadata, spec }: Vmi): MachineAction[] {
  const annotations = metadata.annotations ?? {};
  const asked = annotations[PAUSED_ANNOTATION];
  const paused = asked === undefined ? spec.startStrategy === 'Paused' : asked === 'true';
  const actions: MachineAction[] = [];
  if (paused && state === 'running') actions.push({ do: 'pause' });
  if (!paused && state === 'paused') actions.push({ do: 'resume' });
  if (annotations[RESET_ANNOTATION] !== undefined) actions.push({ do: 'reset', annotation: RESET_ANNOTATION });
  if (annotations[SOFT_REBOOT_ANNOTATION] !== undefined) {
    actions.push({ do: 'soft reboot', annotation: SOFT_REBOOT_ANNOTATION });
  }
  return actions;
}

/** A machine that has come by migration becomes what its new place is for. */
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
  // One that began, and of which nothing is known any more, has failed: it is not begun again.
  if (migration?.uid === migrationUid || (startTimestamp ?? '') !== '') return [];
  return [{ do: 'migrate', migrationUid, address: targetNodeAddress }];
}
