import type { VirtualMachine } from '../../api/hypersdk/virtual-machine.ts';
import { type Condition, holds, standing } from '../../machine/condition.ts';
import type { ObservedMachine } from '../../machine/dialect.ts';
import { isFinal, isGoing } from '../../machine/instance-state.ts';
import type { Surroundings } from '../../machine/surroundings.ts';
import { failureOf, shutdownCondition } from '../memory.ts';
import type { Phase } from './phase.ts';
import type { Wanted } from './wanted.ts';

type Told = Omit<Condition, 'lastTransitionTime'>;

export interface Looks {
  readonly vm: VirtualMachine;
  readonly wanted: Wanted;
  readonly phase: Phase;
  readonly observed: ObservedMachine;
  readonly claims: Surroundings['claims'];
  /** CarbonAware, where it is told. */
  readonly carbon: Told | undefined;
}

export function conditionsOf(looks: Looks, now: string): Condition[] {
  const { vm, observed, carbon, wanted } = looks;
  const before = vm.status?.conditions;
  const { memory, restartRequired } = observed;
  const told = [readyOf(looks), agentOf(looks), disksOf(looks), networkOf(looks)];
  const stuck = immovable(looks);
  if (stuck !== undefined) told.push(stuck);
  if (carbon !== undefined) told.push(carbon);
  if (restartRequired.length > 0) told.push(restartOf(restartRequired, wanted.blocked));
  const failure = wanted.blocked === undefined ? failureOf(before, observed, now) : undefined;
  return [
    ...told.map((each) => standing(before, each, now)),
    ...(failure === undefined ? [] : [failure]),
    ...(memory.lastShutdown === undefined ? [] : [shutdownCondition(memory.lastShutdown)]),
  ];
}

const no = (type: string, reason: string, message: string): Told => ({ type, status: 'False', reason, message });
const yes = (type: string, reason: string, message: string): Told => ({ type, status: 'True', reason, message });

function readyOf({ vm, observed, phase }: Looks): Told {
  const { instance, problem, memory } = observed;
  if (instance !== undefined && !isFinal(instance)) {
    const ready = instance.status?.conditions?.find(({ type }) => type === 'Ready');
    if (holds(instance.status?.conditions, 'Paused'))
      return no('Ready', 'Paused', 'the machine stands still: it is paused');
    if (ready?.status === 'True' && !isGoing(instance)) return yes('Ready', 'MachineReady', 'the machine runs');
    const stuck = instance.status?.conditions?.find(({ type, status }) => status === 'False' && STUCK.has(type));
    const why = stuck ?? ready;
    return no('Ready', why?.reason || phase, why?.message || 'the machine does not run yet');
  }
  if (!vm.spec.running) return no('Ready', 'Stopped', 'spec.running is false');
  if (problem !== undefined) return no('Ready', problem.reason, problem.message);
  const { restarts } = memory;
  if (restarts !== undefined) return no('Ready', restarts.gaveUp ?? 'Restarting', restarts.message);
  return no('Ready', phase, 'the machine does not run');
}

const STUCK: ReadonlySet<string> = new Set(['PodScheduled', 'Synchronized']);

function agentOf({ observed, wanted }: Looks): Told {
  const { instance } = observed;
  if (wanted.spec.guestAgent?.enabled === false) return no('AgentConnected', 'Disabled', 'spec.guestAgent is disabled');
  if (isUp(instance) && holds(instance?.status?.conditions, 'AgentConnected')) {
    return yes('AgentConnected', 'AgentConnected', 'the guest agent answers');
  }
  return isUp(instance)
    ? no('AgentConnected', 'WaitingForAgent', 'the guest agent has not answered')
    : notRunning('AgentConnected');
}

function disksOf({ wanted: { disks }, claims, observed }: Looks): Told {
  if (disks.length === 0) return yes('DiskReady', 'NoDisks', 'the machine has no disks');
  const states = disks.map(({ disk, claim }) => ({ claim, sight: claims?.get(disk.name) }));
  const small = states.find(({ sight }) => sight?.state === 'bound' && sight.reason !== undefined)?.sight;
  const lacking = states.find(({ sight }) => sight?.state !== 'bound');
  // A machine that runs has all of its disks.
  if (lacking === undefined || (isUp(observed.instance) && lacking.sight?.state !== 'taken')) {
    if (small?.reason !== undefined) return no('DiskReady', small.reason, small.message ?? '');
    const texts = states.map(({ claim, sight }) =>
      sight?.state === 'bound' && sight.message !== undefined ? `${claim} (${sight.message})` : claim,
    );
    return yes('DiskReady', 'DisksBound', `bound: ${texts.join(', ')}`);
  }
  const { sight, claim } = lacking;
  const reason = sight?.reason ?? (sight?.state === 'pending' ? 'ClaimPending' : 'ClaimMissing');
  const message =
    sight?.message ??
    `PersistentVolumeClaim ${claim} ${sight?.state === 'pending' ? 'has no volume yet' : 'is not there yet'}`;
  return no('DiskReady', reason, message);
}

function networkOf({ observed: { instance } }: Looks): Told {
  if (!isUp(instance)) return notRunning('NetworkReady');
  const cards = instance?.status?.interfaces ?? [];
  const onPods = new Set((instance?.spec.networks ?? []).flatMap(({ name, pod }) => (pod === undefined ? [] : [name])));
  const without = cards.find(({ name = '', ipAddress }) => ipAddress === undefined && onPods.has(name));
  if (without !== undefined) return no('NetworkReady', 'NoAddress', `network ${without.name} has no address yet`);
  return yes('NetworkReady', 'NetworksReady', `connected: ${cards.map(({ name }) => name).join(', ') || 'none'}`);
}

/** A machine that is to move off a node that is drained, and cannot: it holds the drain up. */
function immovable({ observed: { instance } }: Looks): Told | undefined {
  if (!isUp(instance) || instance?.spec.evictionStrategy !== 'LiveMigrate') return undefined;
  const found = instance.status?.conditions?.find(({ type }) => type === NOT_MOVABLE);
  if (found?.status !== 'False') return undefined;
  const message = `${found.message}; a drain of node ${instance.status?.nodeName} waits until the machine is stopped: evictionStrategy Shutdown lets it be restarted elsewhere`;
  return no(NOT_MOVABLE, found.reason ?? 'NotLiveMigratable', message);
}

const NOT_MOVABLE = 'LiveMigratable';

const notRunning = (type: string) => no(type, 'NotRunning', 'the machine does not run');

function isUp(instance: ObservedMachine['instance']): boolean {
  return instance?.status?.phase === 'Running';
}

function restartOf(fields: readonly string[], blocked: Wanted['blocked']): Told {
  const paths = [...new Set(fields.map(pathOf))].join(', ');
  // Whoever restarts it now takes it down until that is there.
  const lacking = blocked?.reason === 'NotFound' ? `; a start would wait: ${blocked.message}` : '';
  const message = `changed, and not in effect before the next start: ${paths}${lacking}`;
  return yes('RestartRequired', 'RestartRequired', message);
}

/** How a field of the instance is called in a machine of this group. */
function pathOf(field: string): string {
  const found = PATHS.find(([start]) => field === start || field.startsWith(`${start}.`));
  return `spec.${found?.[1] ?? field}`;
}

const PATHS: readonly (readonly [string, string])[] = [
  ['domain.cpu', 'cpus'],
  ['domain.memory', 'memory'],
  ['domain.machine', 'machineType'],
  ['domain.firmware', 'firmware'],
  ['domain.features', 'firmware'],
  ['domain.devices.disks', 'disks'],
  ['domain.devices.interfaces', 'networks'],
  ['domain.devices.gpus', 'gpus'],
  ['domain.devices.hostDevices', 'usbDevices'],
  ['volumes', 'disks'],
  ['networks', 'networks'],
  ['evictionStrategy', 'highAvailability.evictionStrategy'],
  ['metadata.labels', 'labels'],
  ['metadata.annotations', 'annotations'],
];
