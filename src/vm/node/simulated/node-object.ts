import { RUNTIME_LABEL, type Runtime } from '#api/runtime';
import { timestamp } from '#platform/base/timestamp';
import { conditionOf, type KubeCondition } from '#platform/kube/kinds/condition';
import type { Node, Taint } from '#platform/kube/kinds/node';
import type { DriverCondition, DriverFacts } from '../driver-facts.ts';
import type { NodeResources } from './node-size.ts';

/** Describes one node of a fleet. */
export interface NodeShape {
  readonly name: string;
  readonly address: string;
  readonly runtime: Runtime;
  readonly zone: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly resources: NodeResources;
}

const NO_FACTS: DriverFacts = { labels: {}, conditions: [] };
const VERSION = 'v1.36.3+vimana';

/** Returns the labels of a node. */
export function nodeLabels({ name, runtime, zone, labels }: NodeShape): Record<string, string> {
  return {
    ...(runtime === 'simulated' ? { type: 'kwok' } : {}),
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'node.kubernetes.io/instance-type': runtime,
    'topology.kubernetes.io/zone': zone,
    'kubevirt.io/schedulable': 'true',
    [RUNTIME_LABEL]: runtime,
    ...labels,
  };
}

/** Returns a node as it registers. */
export function nodeObject(shape: NodeShape, now: number, facts: DriverFacts = NO_FACTS): Node {
  const { name, runtime, annotations, taints } = shape;
  const kwok = runtime === 'simulated' ? { 'kwok.x-k8s.io/node': 'fake' } : {};
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...nodeLabels(shape), ...facts.labels }, annotations: { ...kwok, ...annotations } },
    spec: taints.length === 0 ? {} : { taints },
    status: nodeStatus(shape, undefined, now, facts),
  };
}

/** Returns the status of a node. Additions of others, such as extended resources, are retained. */
export function nodeStatus(
  { name, runtime, address, resources }: NodeShape,
  before: Node['status'],
  now: number,
  facts: DriverFacts = NO_FACTS,
): NonNullable<Node['status']> {
  return {
    ...before,
    capacity: { ...before?.capacity, ...resources },
    allocatable: { ...before?.allocatable, ...resources },
    conditions: conditionsOf(before?.conditions, [...WELL, ...facts.conditions], timestamp(now)),
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
    nodeInfo: {
      architecture: 'amd64',
      operatingSystem: 'linux',
      osImage: runtime === 'simulated' ? 'Simulated' : 'Linux',
      kernelVersion: runtime,
      kubeletVersion: VERSION,
      kubeProxyVersion: '',
      containerRuntimeVersion: `${runtime}://1`,
      machineID: name,
      systemUUID: name,
      bootID: name,
    },
    daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
  };
}

const WELL: readonly DriverCondition[] = [
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
];

function conditionsOf(
  before: readonly KubeCondition[] | undefined,
  desired: readonly DriverCondition[],
  now: string,
): KubeCondition[] {
  const others = (before ?? []).filter(({ type }) => !desired.some((condition) => condition.type === type));
  const ours = desired.map((condition) => {
    const was = conditionOf(before, condition.type);
    const same = was?.status === condition.status && was.reason === condition.reason;
    const since = was?.status === condition.status ? (was.lastTransitionTime ?? now) : now;
    return { ...condition, lastHeartbeatTime: same ? (was.lastHeartbeatTime ?? now) : now, lastTransitionTime: since };
  });
  return [...others, ...ours];
}

/** Reports whether a node does not report what its driver knows. */
export function lacksFacts({ status }: Node, facts: DriverFacts = NO_FACTS): boolean {
  return facts.conditions.some(({ type, status: desired, message }) => {
    const found = conditionOf(status?.conditions, type);
    return found?.status !== desired || found.message !== message;
  });
}

/** Reports whether another component has marked a node as unhealthy. */
export function seemsUnwell({ status }: Node): boolean {
  return WELL.some(({ type, status: desired }) => conditionOf(status?.conditions, type)?.status !== desired);
}
