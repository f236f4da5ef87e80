import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { type Condition, hasCondition } from '#vm/engine/condition';
import type { ObservedVm } from '#vm/engine/dialect';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { disksOf, type ImageSight } from '../claims.ts';
import { isUp, no, type Paths, readyOf, restartOf, type Told, withPast, yes } from '../conditions.ts';
import type { Phase } from './phase.ts';
import type { Wanted } from './wanted.ts';

export interface Looks {
  readonly vm: VirtualMachine;
  readonly wanted: Wanted;
  readonly phase: Phase;
  readonly observed: ObservedVm;
  readonly claims: VmDependencies['claims'];
  readonly image: ImageSight;
  /** CarbonAware, where it is told. */
  readonly carbon: Told | undefined;
}

export function conditionsOf(looks: Looks, now: string): Condition[] {
  const { vm, observed, carbon, wanted } = looks;
  const { restartRequired } = observed;
  const told = [
    readyOf(observed, { running: vm.spec.running, phase: looks.phase, ready: READY }),
    agentOf(looks),
    disksOf(wanted.disks, looks.claims, isUp(observed.instance), looks.image),
    networkOf(looks),
  ];
  const stuck = immovable(looks);
  if (stuck !== undefined) told.push(stuck);
  if (carbon !== undefined) told.push(carbon);
  if (restartRequired.length > 0) told.push(restartOf(restartRequired, PATHS, wanted.blocked));
  return withPast(told, observed, wanted.blocked, vm.status?.conditions, now);
}

const READY = { reason: 'MachineReady', message: 'the machine runs' };

function agentOf({ observed, wanted }: Looks): Told {
  const { instance } = observed;
  if (wanted.spec.guestAgent?.enabled === false) return no('AgentConnected', 'Disabled', 'spec.guestAgent is disabled');
  if (isUp(instance) && hasCondition(instance?.status?.conditions, 'AgentConnected')) {
    return yes('AgentConnected', 'AgentConnected', 'the guest agent answers');
  }
  return isUp(instance)
    ? no('AgentConnected', 'WaitingForAgent', 'the guest agent has not answered')
    : notRunning('AgentConnected');
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

/** How fields of the instance are called in a machine of this group. */
const PATHS: Paths = [
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
