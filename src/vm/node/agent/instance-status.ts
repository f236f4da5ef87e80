import { PAUSED_BY_FULL_DISK, PAUSED_BY_USER } from '#api/instance-request';
import { HOT_CHANGES, hotChanges } from '#api/kubevirt/hot-change';
import { inOrder } from '#api/kubevirt/phase-times';
import type { Vmi } from '#api/kubevirt/resources';
import type { InstanceStatus } from '#api/kubevirt/virtual-machine-instance';
import type { InstancePhase } from '#api/kubevirt/virtual-machine-instance-status';
import { COMPUTE_CONTAINER } from '#api/launcher';
import { formatQuantity, quantityOf } from '#platform/base/quantity';
import { timestamp } from '#platform/base/timestamp';
import { conditionOf, type KubeCondition, withCondition } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Machine } from '../machine-driver.ts';
import { requestedSize } from '../machine-spec.ts';
import type { Waiting } from '../pod/container-status.ts';
import type { Migratability } from './live-migratable.ts';
import { machineInterfaces } from './machine-interfaces.ts';
import { reportMigration } from './migration-report.ts';
import type { Termination } from './termination.ts';

type Condition = NonNullable<InstanceStatus['conditions']>[number];

/** Facts that the node agent knows about the instance of its own machine. */
export interface InstanceFacts {
  readonly node: string;
  readonly pod: Pod;
  readonly machine: Machine | undefined;
  /** Describes how the machine ended, if it has. */
  readonly termination: Termination | undefined;
  /** Explains why the pod does not run yet. */
  readonly waiting?: Waiting | undefined;
  readonly ready: boolean;
  readonly paused: boolean;
  readonly migratability: Migratability;
  /** Pod that was created for a migration. */
  readonly targetPod: Pod | undefined;
}

/** Returns the whole status of an instance as its node agent reports it. */
export function instanceStatus(instance: Vmi, facts: InstanceFacts, now: number): InstanceStatus {
  const { node, pod, machine, termination, targetPod } = facts;
  const before = instance.status ?? {};
  const migrationState =
    before.migrationState === undefined
      ? undefined
      : reportMigration(before.migrationState, machine, pod.metadata.name, now);
  const status = { ...before, ...(migrationState === undefined ? {} : { migrationState }) };
  if (machine?.ended?.reason === 'Migrated') return handedOverStatus(status, node, targetPod);
  if (termination !== undefined) return endedStatus(instance, status, facts, termination, now);
  const running = machine === undefined ? status : runningFields(instance, status, facts);
  return {
    ...inPhase(running, machine === undefined ? 'Scheduled' : 'Running', instance, pod, now),
    nodeName: node,
    activePods: { [pod.metadata.uid ?? '']: node },
    conditions: conditionsOf(instance, facts, now),
  };
}

/** Returns the last status from the source of a migration. From now on the node agent of the target reports. */
function handedOverStatus(status: InstanceStatus, left: string, target: Pod | undefined): InstanceStatus {
  const { evacuationNodeName, conditions = [], ...rest } = status;
  const nodeName = status.migrationState?.targetNode ?? '';
  return {
    ...rest,
    // The target reports these conditions from now on.
    conditions: conditions.filter(({ type }) => !HOT_CHANGES.has(type)),
    ...(evacuationNodeName === undefined || evacuationNodeName === left ? {} : { evacuationNodeName }),
    nodeName,
    activePods: { [target?.metadata.uid ?? '']: nodeName },
  };
}

/** Conditions that do not apply to an ended machine: the state of its guest, and what it waits for. */
const OF_THE_LIVING: ReadonlySet<string> = new Set([
  'AgentConnected',
  'Paused',
  'Synchronized',
  'PodScheduled',
  'HardwareAccelerated',
  'NetworkReady',
  ...HOT_CHANGES.keys(),
]);

function endedStatus(
  instance: Vmi,
  status: InstanceStatus,
  { node, pod }: InstanceFacts,
  { phase, reason, message }: Termination,
  now: number,
): InstanceStatus {
  const notReady = { type: 'Ready', status: 'False', reason, message } as const;
  const others = (status.conditions ?? []).filter(({ type }) => !OF_THE_LIVING.has(type));
  return {
    ...inPhase(status, phase, instance, pod, now),
    reason,
    nodeName: node,
    activePods: { [pod.metadata.uid ?? '']: node },
    conditions: withAll(others, [notReady], now),
  };
}

/** Returns the status fields of an existing machine. */
function runningFields(instance: Vmi, status: InstanceStatus, facts: InstanceFacts): InstanceStatus {
  const { pod, machine, migratability } = facts;
  const { guest, spec } = machine as Machine;
  const { guestOSInfo: _info, reason: _reason, ...kept } = status;
  const image = pod.spec.containers.find(({ name }) => name === COMPUTE_CONTAINER)?.image;
  const qosClass = pod.status?.['qosClass'] as InstanceStatus['qosClass'];
  const podIP = pod.status?.['podIP'] as string | undefined;
  return {
    ...kept,
    interfaces: machineInterfaces(
      spec.nics.map((nic) => ({ ...nic, ip: nic.ip ?? (firstOf(instance, nic.name) ? podIP : undefined) })),
      guest,
    ),
    migrationMethod: migratability.method,
    currentCPUTopology: spec.cpu,
    memory: memoryStatus(instance, spec.memoryBytes),
    ...(qosClass === undefined ? {} : { qosClass }),
    ...(image === undefined ? {} : { launcherContainerImageVersion: image }),
    ...(guest === undefined ? {} : { guestOSInfo: guest.os }),
  };
}

function memoryStatus(instance: Vmi, bytes: number): NonNullable<InstanceStatus['memory']> {
  const guestCurrent = bytesText(bytes);
  const requested = requestedSize(instance).memoryBytes;
  return {
    guestAtBoot: instance.status?.memory?.guestAtBoot ?? guestCurrent,
    guestCurrent,
    guestRequested: requested === bytes ? guestCurrent : bytesText(requested),
  };
}

const bytesText = (bytes: number) => formatQuantity(quantityOf(bytes, 'BinarySI'));

/** Reports whether an interface is the one on the pod network, which has the pod's address if it was assigned none. */
function firstOf({ spec }: Vmi, name: string): boolean {
  const { networks } = spec;
  if (networks === undefined || networks.length === 0) return true;
  return networks.some((network) => network.name === name && network.pod !== undefined);
}

function conditionsOf(instance: Vmi, facts: InstanceFacts, now: number): Condition[] {
  const { metadata, status } = instance;
  const { machine, ready, paused, migratability, pod } = facts;
  const terminating = metadata.deletionTimestamp !== undefined || pod.metadata.deletionTimestamp !== undefined;
  const { blocker } = migratability;
  const desired: KubeCondition[] = [
    ready && !terminating && !paused
      ? { type: 'Ready', status: 'True' }
      : { type: 'Ready', status: 'False', ...why(facts, terminating) },
  ];
  const connected = machine?.guest !== undefined;
  if (machine !== undefined) {
    const movable = blocker === undefined ? 'True' : 'False';
    desired.push({ type: 'LiveMigratable', status: movable, ...blocker });
    desired.push(...(machine.conditions ?? []));
    if (connected) desired.push({ type: 'AgentConnected', status: 'True' });
    if (paused) desired.push({ type: 'Paused', status: 'True', ...pauseReason(machine) });
  }
  const changing = machine === undefined ? [] : sizeChanges(instance, machine, blocker);
  desired.push(...changing);
  const trouble = machine === undefined ? troubleOf(facts) : undefined;
  if (trouble !== undefined) desired.push(trouble);
  const gone = new Set(['PodScheduled']);
  if (trouble === undefined) gone.add('Synchronized');
  if (!connected) gone.add('AgentConnected');
  if (!paused) gone.add('Paused');
  for (const type of HOT_CHANGES.keys()) if (!changing.some((change) => change.type === type)) gone.add(type);
  return withAll(
    (status?.conditions ?? []).filter(({ type }) => !gone.has(type)),
    desired,
    now,
  );
}

function sizeChanges(instance: Vmi, { spec }: Machine, obstacle: Migratability['blocker']) {
  const has = { sockets: spec.cpu.sockets, memoryBytes: spec.memoryBytes };
  return hotChanges({ has, asks: requestedSize(instance), obstacle, status: instance.status });
}

/** Returns the condition for a pod that cannot start. A message means a failure, such as an unavailable image. */
function troubleOf({ waiting }: InstanceFacts): KubeCondition | undefined {
  if (waiting?.message === undefined) return undefined;
  const { reason, message } = waiting;
  return { type: 'Synchronized', status: 'False', reason, message };
}

function why({ machine, paused, pod }: InstanceFacts, terminating: boolean): { reason: string; message: string } {
  if (terminating) return { reason: 'PodTerminating', message: 'virt-launcher pod is terminating' };
  if (machine === undefined) return { reason: 'GuestNotRunning', message: 'Guest VM is not reported as running' };
  if (paused) return pauseReason(machine);
  const unready = conditionOf(pod.status?.conditions, 'Ready');
  return {
    reason: unready?.reason ?? 'ContainersNotReady',
    message: unready?.message ?? `containers with unready status: [${COMPUTE_CONTAINER}]`,
  };
}

const pauseReason = ({ diskFull }: Machine) => (diskFull === true ? PAUSED_BY_FULL_DISK : PAUSED_BY_USER);

function withAll(before: readonly Condition[], desired: readonly KubeCondition[], now: number): Condition[] {
  const time = timestamp(now);
  let all: readonly KubeCondition[] = before;
  for (const condition of desired) all = withCondition(all, condition, time);
  return all as Condition[];
}

/** Returns the status with the phase and its start. Phases too short to be written are derived from observations. */
function inPhase(status: InstanceStatus, phase: InstancePhase, instance: Vmi, pod: Pod, now: number): InstanceStatus {
  const known = status.phaseTransitionTimestamps ?? [];
  if (status.phase === phase && known.some((each) => each.phase === phase)) return status;
  const scheduled = conditionOf(pod.status?.conditions, 'PodScheduled')?.lastTransitionTime;
  const passed: readonly (readonly [InstancePhase, string | null | undefined])[] = [
    ['Pending', instance.metadata.creationTimestamp],
    ['Scheduling', pod.metadata.creationTimestamp],
    ['Scheduled', scheduled],
    [phase, timestamp(now)],
  ];
  const added = passed
    .filter(([name, at]) => at !== null && at !== undefined && !known.some((each) => each.phase === name))
    .filter(([name], index, all) => all.findLastIndex(([other]) => other === name) === index)
    .map(([name, at]) => ({ phase: name, phaseTransitionTimestamp: at as string }));
  return { ...status, phase, phaseTransitionTimestamps: inOrder([...known, ...added]) };
}
