import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { timestamp } from '#platform/base/timestamp';
import { hasCondition } from '#vm/engine/condition';
import type { ObservedVm, RecordedState } from '#vm/engine/dialect';
import { isFinal, ranSince } from '#vm/engine/instance-state';
import type { VmUsage } from '#vm/engine/metrics';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { interfacesStatus, recordedStatus } from '../recorded-state.ts';
import { smallDisksOf } from '../small-disks.ts';
import { carbonStatus } from './carbon.ts';
import { conditionsOf } from './conditions.ts';
import { type DesiredSpec, desiredSpecOf } from './desired-spec.ts';
import { type Phase, phaseOf } from './phase.ts';

type Status = NonNullable<VirtualMachine['status']>;

/** Returns the whole status of a VM. */
export function report(vm: VirtualMachine, observed: ObservedVm, dependencies: Partial<VmDependencies> = {}): Status {
  const { instance, recorded, now } = observed;
  const desired = desiredSpecOf(vm, dependencies);
  const phase = phaseOf(vm, observed, desired.blocked !== undefined);
  const { condition: carbon, ...green } = carbonStatus(vm, observed, dependencies.carbon);
  const live = instance === undefined || isFinal(instance) ? undefined : instance;
  const { claims } = dependencies;
  const image = { verdict: dependencies.image, verified: verifiedOf(vm, desired.disks, dependencies.image) };
  return {
    observedGeneration: vm.metadata.generation,
    phase,
    conditions: conditionsOf({ vm, desired, phase, observed, claims, image, carbon }, timestamp(now)),
    ...(live === undefined ? {} : presenceOf(live, desired.spec.guestAgent?.enabled !== false)),
    resources: resourcesOf(vm, desired.spec, phase, dependencies.usage),
    creationTimestamp: vm.metadata.creationTimestamp,
    ...startOf(vm, instance),
    ...smallDisksOf(claims),
    ...(image.verified === undefined ? {} : { verifiedImage: image.verified }),
    ...green,
    ...restartsOf(recorded),
    ...interfacesStatus(recorded.identity),
    ...recordedStatus(recorded),
  };
}

/** Returns the resources of a VM. The last measured usage of a running VM stays until the next measurement. */
function resourcesOf(
  { status }: VirtualMachine,
  { cpus, memory }: VirtualMachine['spec'],
  phase: Phase,
  usage: VmUsage | undefined,
): NonNullable<Status['resources']> {
  const reported = UP.has(phase) ? status?.resources : undefined;
  const cpu = usage === undefined ? reported?.cpu?.usage : `${Math.round((usage.cpuCores / cpus) * 100)}%`;
  const bytes = usage === undefined ? reported?.memory?.usage : `${Math.round(usage.memoryBytes / MEBIBYTE)}Mi`;
  return {
    cpu: { ...(cpu === undefined ? {} : { usage: cpu }), requests: cpus },
    memory: { ...(bytes === undefined ? {} : { usage: bytes }), requests: memory },
  };
}

const UP: ReadonlySet<Phase> = new Set(['Running', 'Migrating', 'Paused', 'Unknown']);
const MEBIBYTE = 1_048_576;

type Instance = NonNullable<ObservedVm['instance']>;

/** Returns the location of a VM that has not ended, and how to reach its guest. */
function presenceOf({ metadata, status, spec }: Instance, hasAgent: boolean): Partial<Status> {
  const { nodeName = '', interfaces = [], conditions } = status ?? {};
  const addresses = interfaces.flatMap(({ ipAddresses = [] }) => ipAddresses ?? []);
  const connected = hasAgent && hasCondition(conditions, 'AgentConnected');
  const hostname = spec.hostname ?? machineOf(metadata);
  return {
    ...(nodeName === '' ? {} : { nodeName }),
    ...(addresses.length === 0 ? {} : { ipAddresses: addresses }),
    guestAgent: { connected, ...(connected ? { hostname } : {}) },
  };
}

const machineOf = ({ name, ownerReferences }: Instance['metadata']) =>
  ownerReferences?.find(({ controller }) => controller === true)?.name ?? name;

function startOf({ status }: VirtualMachine, instance: Instance | undefined): Pick<Status, 'startTime'> {
  const began = instance === undefined ? undefined : ranSince(instance);
  const startTime = began === undefined ? status?.startTime : timestamp(began);
  return startTime === undefined ? {} : { startTime };
}

/** Returns the digest found for the image. It is not checked again once the VM has its disks. */
function verifiedOf(
  { status }: VirtualMachine,
  disks: DesiredSpec['disks'],
  image: VmDependencies['image'],
): string | undefined {
  if (status?.startTime !== undefined) return status.verifiedImage;
  if (image?.state !== 'verified') return undefined;
  return disks.flatMap(({ origin }) => (origin?.image === undefined ? [] : (origin.checksum ?? [])))[0];
}

function restartsOf({ restarts }: RecordedState): Pick<Status, 'restartCount' | 'restarts'> {
  const { total = 0, ...last } = restarts ?? {};
  return { restartCount: total, ...(restarts === undefined ? {} : { restarts: last }) };
}
