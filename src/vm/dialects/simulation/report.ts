import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { NodeSize } from '#api/launcher-load';
import type { VirtualMachine } from '#api/simulation/virtual-machine';
import { timestamp } from '#platform/base/timestamp';
import type { ObservedVm } from '#vm/engine/dialect';
import { isFinal } from '#vm/engine/instance-state';
import { firstLauncherName } from '#vm/engine/launcher/launcher-pod';
import { recordedStatus } from '../recorded-state.ts';
import { conditionsOf } from './conditions.ts';
import { phaseOf } from './phase.ts';
import { simulatedSizeOf } from './size.ts';

type Status = NonNullable<VirtualMachine['status']>;

/** Returns the status of a simulated VM. */
export function report(vm: VirtualMachine, observed: ObservedVm, node: NodeSize): Status {
  const { instance, recorded, now } = observed;
  const { cpuConsumption, memoryConsumption, cpuUtilization, memoryUtilization } = simulatedSizeOf(vm.spec, node);
  const phase = phaseOf(vm, observed);
  return {
    observedGeneration: vm.metadata.generation,
    phase,
    ...(instance === undefined || isFinal(instance) ? {} : placeOf(instance)),
    cpuConsumption,
    memoryConsumption,
    cpuUtilization,
    memoryUtilization,
    conditions: conditionsOf(vm, phase, observed, timestamp(now)),
    createdAt: vm.metadata.creationTimestamp,
    ...recordedStatus(recorded),
  };
}

/** Returns the location of an instance and the requests of its pod. */
function placeOf(instance: VirtualMachineInstance): Partial<Status> {
  const { nodeName = '', evacuationNodeName = '', activePods = {} } = instance.status ?? {};
  const { cpu, memory } = instance.spec.domain.resources?.requests ?? {};
  const hasPod = nodeName !== '' || Object.keys(activePods).length > 0;
  return {
    ...(nodeName === '' ? {} : { nodeName }),
    ...(hasPod ? { podName: podOf(instance) } : {}),
    ...(cpu === undefined ? {} : { allocatedCpu: `${cpu}` }),
    ...(memory === undefined ? {} : { allocatedMemory: `${memory}` }),
    ...(evacuationNodeName === '' ? {} : { evacuationNodeName }),
  };
}

/** Returns the pod of an instance: the original one, or the one that a migration moved it to. */
function podOf(instance: VirtualMachineInstance): string {
  const { targetPod, completed = false, failed = false } = instance.status?.migrationState ?? {};
  return completed && !failed && targetPod !== undefined
    ? targetPod
    : firstLauncherName(instance as Parameters<typeof firstLauncherName>[0]);
}
