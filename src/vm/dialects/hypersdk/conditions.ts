import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { type Condition, hasCondition } from '#vm/engine/condition';
import type { ObservedVm } from '#vm/engine/dialect';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { diskReadyCondition, type ImageState } from '../claims.ts';
import {
  type ConditionDraft,
  conditionFalse,
  conditionTrue,
  isUp,
  type Paths,
  readyOf,
  restartOf,
  withPast,
} from '../conditions.ts';
import type { DesiredSpec } from './desired-spec.ts';
import type { Phase } from './phase.ts';

export interface ConditionInput {
  readonly vm: VirtualMachine;
  readonly desired: DesiredSpec;
  readonly phase: Phase;
  readonly observed: ObservedVm;
  readonly claims: VmDependencies['claims'];
  readonly image: ImageState;
  /** CarbonAware condition, if it is reported. */
  readonly carbon: ConditionDraft | undefined;
}

export function conditionsOf(looks: ConditionInput, now: string): Condition[] {
  const { vm, observed, carbon, desired } = looks;
  const { restartRequired } = observed;
  const reported = [
    readyOf(observed, { running: vm.spec.running, phase: looks.phase, ready: READY }),
    agentOf(looks),
    diskReadyCondition(desired.disks, looks.claims, isUp(observed.instance), looks.image),
    networkOf(looks),
  ];
  const stuck = drainBlockedCondition(looks);
  if (stuck !== undefined) reported.push(stuck);
  if (carbon !== undefined) reported.push(carbon);
  if (restartRequired.length > 0) reported.push(restartOf(restartRequired, PATHS, desired.blocked));
  return withPast(reported, observed, desired.blocked, vm.status?.conditions, now);
}

const READY = { reason: 'MachineReady', message: 'the VM is running' };

function agentOf({ observed, desired }: ConditionInput): ConditionDraft {
  const { instance } = observed;
  if (desired.spec.guestAgent?.enabled === false)
    return conditionFalse('AgentConnected', 'Disabled', 'spec.guestAgent is disabled');
  if (isUp(instance) && hasCondition(instance?.status?.conditions, 'AgentConnected')) {
    return conditionTrue('AgentConnected', 'AgentConnected', 'the guest agent responds');
  }
  return isUp(instance)
    ? conditionFalse('AgentConnected', 'WaitingForAgent', 'the guest agent has not responded')
    : notRunning('AgentConnected');
}

function networkOf({ observed: { instance } }: ConditionInput): ConditionDraft {
  if (!isUp(instance)) return notRunning('NetworkReady');
  const cards = instance?.status?.interfaces ?? [];
  const onPods = new Set((instance?.spec.networks ?? []).flatMap(({ name, pod }) => (pod === undefined ? [] : [name])));
  const without = cards.find(({ name = '', ipAddress }) => ipAddress === undefined && onPods.has(name));
  if (without !== undefined)
    return conditionFalse('NetworkReady', 'NoAddress', `network ${without.name} has no address yet`);
  return conditionTrue(
    'NetworkReady',
    'NetworksReady',
    `connected: ${cards.map(({ name }) => name).join(', ') || 'none'}`,
  );
}

/** Returns the condition of a VM that should leave a drained node but cannot, and so blocks the drain. */
function drainBlockedCondition({ observed: { instance } }: ConditionInput): ConditionDraft | undefined {
  if (!isUp(instance) || instance?.spec.evictionStrategy !== 'LiveMigrate') return undefined;
  const found = instance.status?.conditions?.find(({ type }) => type === LIVE_MIGRATABLE);
  if (found?.status !== 'False') return undefined;
  const message = `${found.message}; a drain of node ${instance.status?.nodeName} waits until the VM is stopped: set evictionStrategy to Shutdown to restart it on another node`;
  return conditionFalse(LIVE_MIGRATABLE, found.reason ?? 'NotLiveMigratable', message);
}

const LIVE_MIGRATABLE = 'LiveMigratable';

const notRunning = (type: string) => conditionFalse(type, 'NotRunning', 'the VM is not running');

/** Maps instance fields to the field names of this group. */
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
