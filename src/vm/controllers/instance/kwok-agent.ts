import { LIVE_MIGRATION_ANNOTATION, PAUSED_ANNOTATION, PAUSED_BY_USER } from '#api/instance-request';
import { HOT_CHANGES, hotChanges } from '#api/kubevirt/hot-change';
import type { Vmi } from '#api/kubevirt/resources';
import type { InstanceStatus } from '#api/kubevirt/virtual-machine-instance';
import { parseLauncherSize } from '#api/launcher-size';
import { formatQuantity, parseQuantity, quantityOf, value } from '#platform/base/quantity';
import { timestamp } from '#platform/base/timestamp';
import { type KubeCondition, withCondition } from '#platform/kube/kinds/condition';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import type { InterfaceIdentity } from '#vm/engine/dialect';
import { identityOf } from '#vm/engine/identity';
import { launcherSize } from '#vm/engine/launcher/resources';
import { isPodFinished } from './own-pods.ts';
import type { VmiAction } from './plan-vmi.ts';
import { podEndOf } from './pod-end.ts';
import { endedStatus, withInstancePhase } from './status.ts';

/**
 * KWOK advances the pods of its nodes but does not know VMs. On its nodes the operator reports in place of a node
 * agent: an instance runs while its pod does.
 */

const KWOK_ANNOTATION = 'kwok.x-k8s.io/node';
const RUNTIME_LABEL = 'vimana.io/runtime';

/** Reports whether KWOK manages a node. Our simulated nodes look the same, but name their runtime in a label. */
export function isKwokManaged(node: Node | undefined): boolean {
  if (node === undefined) return false;
  const { annotations, labels } = node.metadata;
  return annotations?.[KWOK_ANNOTATION] === 'fake' && labels?.[RUNTIME_LABEL] === undefined;
}

/** Plans the reports that a node agent would make. */
export function kwokAgentActions(vmi: Vmi, pod: Pod, pods: readonly Pod[], now: number): readonly VmiAction[] {
  const report = (status: InstanceStatus): readonly VmiAction[] => [{ do: 'report', status, transient: false }];
  if (isPodFinished(pod)) return report(endedStatus(vmi, podEndOf(pod), now));
  if (pod.status?.phase !== 'Running') return scheduledActions(vmi, pod, now);
  const target = targetOf(vmi, pods);
  if (target === undefined) return report(runningStatus(vmi, pod, now));
  return target.status?.phase === 'Running' ? report(migratedStatus(runningStatus(vmi, target, now), now)) : [];
}

/** Reports a pod that has a node as scheduled. Once the instance runs, its pod is not checked again. */
function scheduledActions(vmi: Vmi, { spec }: Pod, now: number): readonly VmiAction[] {
  const { status } = vmi;
  if (status?.phase === 'Scheduled' || status?.phase === 'Running') return [];
  const { nodeName = '' } = spec;
  return [{ do: 'report', status: withInstancePhase({ ...status, nodeName }, 'Scheduled', vmi, now), transient: true }];
}

function targetOf({ status }: Vmi, pods: readonly Pod[]): Pod | undefined {
  const { targetPod, completed = false, abortRequested = false } = status?.migrationState ?? {};
  if (targetPod === undefined || completed || abortRequested) return undefined;
  return pods.find(({ metadata }) => metadata.name === targetPod);
}

/** Completes a migration at once, since nothing has to be copied. */
function migratedStatus(status: InstanceStatus, now: number): InstanceStatus {
  const at = timestamp(now);
  const migrationState = { ...status.migrationState, startTimestamp: at, endTimestamp: at, completed: true };
  return { ...status, migrationState };
}

function runningStatus(vmi: Vmi, pod: Pod, now: number): InstanceStatus {
  const { nodeName = '' } = pod.spec;
  const { reason: _reason, ...status } = vmi.status ?? {};
  return withInstancePhase(
    {
      ...status,
      nodeName,
      activePods: { [pod.metadata.uid ?? '']: nodeName },
      interfaces: interfacesOf(vmi, pod),
      ...sizeStatus(vmi, pod),
      conditions: conditionsOf(vmi, pod, timestamp(now)),
    },
    'Running',
    vmi,
    now,
  );
}

/** Returns the size that the pod is allocated for. */
const allocatedSize = (vmi: Vmi, { metadata }: Pod) =>
  parseLauncherSize(metadata.annotations) ?? launcherSize(vmi.spec);

const bytesOf = (amount: string) => value(parseQuantity(amount));
const text = (amount: string) => formatQuantity(quantityOf(bytesOf(amount), 'BinarySI'));

function sizeStatus(vmi: Vmi, pod: Pod): Pick<InstanceStatus, 'currentCPUTopology' | 'memory'> {
  const { cores = 1, threads = 1 } = vmi.spec.domain.cpu ?? {};
  const { sockets, memory } = allocatedSize(vmi, pod);
  const guestCurrent = text(memory);
  return {
    currentCPUTopology: { sockets, cores, threads },
    memory: {
      guestAtBoot: vmi.status?.memory?.guestAtBoot ?? guestCurrent,
      guestCurrent,
      guestRequested: text(launcherSize(vmi.spec).memory),
    },
  };
}

function changes(vmi: Vmi, pod: Pod) {
  const [has, asks] = [allocatedSize(vmi, pod), launcherSize(vmi.spec)].map(({ sockets, memory }) => ({
    sockets,
    memoryBytes: bytesOf(memory),
  }));
  return has === undefined || asks === undefined ? [] : hotChanges({ has, asks, status: vmi.status });
}

function conditionsOf(vmi: Vmi, pod: Pod, now: string): NonNullable<InstanceStatus['conditions']> {
  const { metadata, status } = vmi;
  const changing = changes(vmi, pod);
  const over = [...HOT_CHANGES.keys()].filter((type) => !changing.some((change) => change.type === type));
  const trouble = new Set(['Synchronized', 'PodScheduled', 'Paused', ...over]);
  let all = (status?.conditions ?? []).filter(({ type }) => !trouble.has(type)) as KubeCondition[];
  const isPaused = metadata.annotations?.[PAUSED_ANNOTATION] === 'true';
  all = withCondition(
    all,
    { type: 'Ready', ...(isPaused ? { status: 'False', ...PAUSED_BY_USER } : { status: 'True' }) },
    now,
  );
  const movable =
    metadata.annotations?.[LIVE_MIGRATION_ANNOTATION] === 'false' ? NOT_ALLOWED : ({ status: 'True' } as const);
  all = withCondition(all, { type: 'LiveMigratable', ...movable }, now);
  for (const change of changing) all = withCondition(all, change, now);
  if (isPaused) {
    const paused = (status?.conditions ?? []).find(({ type }) => type === 'Paused');
    all = [
      ...all,
      { type: 'Paused', status: 'True', ...PAUSED_BY_USER, lastTransitionTime: paused?.lastTransitionTime ?? now },
    ];
  }
  return all;
}

const NOT_ALLOWED = {
  status: 'False',
  reason: 'LiveMigrationNotAllowed',
  message: 'live migration is not allowed for this VM',
} as const;

function interfacesOf(vmi: Vmi, pod: Pod): NonNullable<InstanceStatus['interfaces']> {
  const { interfaces = [], autoattachPodInterface } = vmi.spec.domain.devices;
  const cards = interfaces.length > 0 || autoattachPodInterface === false ? interfaces : [{ name: 'default' }];
  const known = identityOf(vmi);
  return cards.map(({ name }, index) => {
    const { mac, ip }: Partial<InterfaceIdentity> = known[name] ?? {};
    const address = ip ?? (index === 0 ? (pod.status?.['podIP'] as string | undefined) : undefined);
    return {
      name,
      ...(mac === undefined ? {} : { mac }),
      ...(address === undefined ? {} : { ipAddress: address, ipAddresses: [address] }),
      infoSource: 'domain',
    };
  });
}
