import { timestamp } from '#platform/base/timestamp';
import { conditionOf, type KubeCondition, withCondition } from '#platform/kube/kinds/condition';
import type { Pod, PodStatus } from '#platform/kube/kinds/pod';
import type { ContainerStatus } from './container-status.ts';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** Facts about a running pod. */
export interface PodFacts {
  readonly phase: PodPhase;
  readonly reason?: string;
  readonly message?: string;
  readonly hostIP: string;
  /** Empty until the pod has its own network. */
  readonly podIP: string;
  readonly startedAt: number;
  readonly containers: readonly ContainerStatus[];
  readonly initContainers: readonly ContainerStatus[];
  /** All init containers have finished. */
  readonly initialized: boolean;
}

/** Returns the status of a pod as a kubelet reports it. Fields written by others are retained. */
export function podStatus(pod: Pod, facts: PodFacts, now: number): PodStatus {
  const { phase, reason, message, hostIP, podIP, containers, initContainers } = facts;
  const { reason: _reason, message: _message, ...kept } = pod.status ?? {};
  const { generation } = pod.metadata;
  return {
    ...kept,
    phase,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: podConditions(pod, facts, timestamp(now)),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP === '' ? {} : { podIP, podIPs: [{ ip: podIP }] }),
    startTime: kept.startTime ?? timestamp(facts.startedAt),
    ...(initContainers.length === 0 ? {} : { initContainerStatuses: initContainers }),
    containerStatuses: containers,
  };
}

function podConditions(pod: Pod, facts: PodFacts, now: string): KubeCondition[] {
  const { phase, podIP, containers, initContainers, initialized } = facts;
  const over = phase === 'Succeeded' || phase === 'Failed';
  const completed = phase === 'Succeeded' ? { reason: 'PodCompleted' } : undefined;
  const unready = completed ?? notReady(phase, containers);
  const contained = !over && initialized && containers.every(({ ready }) => ready);
  const waitsFor = missingGates(pod);
  const ready = contained && waitsFor.length === 0;
  const gated = {
    reason: 'ReadinessGatesNotReady',
    message: `the status of pod readiness gate ${JSON.stringify(waitsFor[0])} is not "True", but False`,
  };
  const incomplete = initContainers.filter((container) => !container.ready).map(({ name }) => name);
  const uninitialized = {
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${incomplete.join(' ')}]`,
  };
  const desired: readonly (readonly [type: string, holds: boolean, why: object | undefined])[] = [
    ['PodReadyToStartContainers', podIP !== '' && !over, undefined],
    ['Initialized', initialized, initialized ? completed : uninitialized],
    ['Ready', ready, ready ? undefined : contained ? gated : unready],
    ['ContainersReady', contained, contained ? undefined : unready],
    ['PodScheduled', true, undefined],
  ];
  let conditions: readonly KubeCondition[] = pod.status?.conditions ?? [];
  for (const [type, holds, why] of desired) {
    const condition = { type, status: holds ? ('True' as const) : ('False' as const), lastProbeTime: null, ...why };
    conditions = withCondition(conditions, condition, now);
  }
  return [...conditions];
}

function notReady(phase: PodPhase, containers: readonly ContainerStatus[]): object {
  if (phase === 'Failed') return { reason: 'PodFailed' };
  const names = containers.filter(({ ready }) => !ready).map(({ name }) => name);
  return { reason: 'ContainersNotReady', message: `containers with unready status: [${names.join(' ')}]` };
}

/** Returns the pod's readiness gates whose conditions are not true. */
function missingGates({ spec, status }: Pod): string[] {
  const gates = (spec['readinessGates'] ?? []) as readonly { readonly conditionType: string }[];
  return gates
    .map(({ conditionType }) => conditionType)
    .filter((type) => conditionOf(status?.conditions, type)?.status !== 'True');
}

export function isPodTerminated({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
