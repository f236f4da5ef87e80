import { PHASES, type Phase } from '#api/simulation/virtual-machine';
import { timestamp } from '#platform/base/timestamp';
import { type KubeCondition, withCondition } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';
import type { SimulatedVm } from './simulated-vm.ts';

/** Known state of a VM. */
export interface VmStatus {
  readonly name: string;
  readonly phase: Phase;
  readonly nodeName: string;
  readonly podName: string;
  readonly cpuConsumption: string;
  readonly memoryConsumption: string;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly lastTransitionTime?: string;
  }[];
  readonly createdAt: string;
}

export function vmStatusOf({ metadata, spec, status = {} }: SimulatedVm): VmStatus {
  return {
    name: metadata.name,
    phase: status.phase ?? 'Pending',
    nodeName: status.nodeName ?? '',
    podName: status.podName ?? '',
    cpuConsumption: status.cpuConsumption ?? `${spec.resources.cpu}`,
    memoryConsumption: status.memoryConsumption ?? `${spec.resources.memory}`,
    conditions: (status.conditions ?? []).map(({ type, status: holds, lastTransitionTime: at }) => ({
      type,
      status: holds,
      ...(at === undefined || at === null ? {} : { lastTransitionTime: at }),
    })),
    createdAt: status.createdAt ?? metadata.creationTimestamp,
  };
}

export interface PodObservation {
  readonly phase: Phase;
  readonly podName?: string | undefined;
  readonly nodeName?: string | undefined;
}

/** Returns the status of a VM after an observation. There is one condition per phase, however often it is entered. */
export function statusAfter(vm: SimulatedVm, { phase, podName, nodeName }: PodObservation, now: number): object {
  const { status = {}, spec, metadata } = vm;
  const time = timestamp(now);
  let conditions = (status.conditions ?? []) as readonly KubeCondition[];
  for (const type of PHASES) {
    const known = conditions.some((each) => each.type === type);
    if (type === phase || known) {
      conditions = withCondition(conditions, { type, status: type === phase ? 'True' : 'False' }, time);
    }
  }
  return {
    ...status,
    phase,
    ...(podName === undefined ? {} : { podName }),
    ...(nodeName === undefined ? {} : { nodeName }),
    cpuConsumption: status.cpuConsumption ?? `${spec.resources.cpu}`,
    memoryConsumption: status.memoryConsumption ?? `${spec.resources.memory}`,
    conditions,
    createdAt: status.createdAt ?? metadata.creationTimestamp,
  };
}

/** Returns the phase of a VM from its pod. */
export function phaseOfPod(pod: Pod | undefined): Phase {
  if (pod === undefined) return 'Pending';
  const { phase } = pod.status ?? {};
  if (phase === 'Running') return 'Running';
  if (phase === 'Failed' || phase === 'Succeeded') return 'Failed';
  return (pod.spec.nodeName ?? '') === '' ? 'Scheduling' : 'Scheduled';
}
