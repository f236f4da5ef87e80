import { VMIS } from '#api/kubevirt/resources';
import type { NodeSize } from '#api/launcher-load';
import type { Clock } from '#platform/base/clock';
import type { ApiExtension } from '#platform/kube/api-extension';
import type { ResourceType } from '#platform/kube/client';
import { NODES, type Node } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { apiVersionOf } from '#platform/kube/kinds/resource-type';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Index } from '#platform/runtime/cache';
import type { Informers } from '#platform/runtime/informers';
import { keyIn } from '#platform/runtime/key';
import { type Amounts, amountsOf, isLive, vmKeyOfPod } from '../launcher-usage.ts';
import { NodeLoads } from '../node-loads.ts';
import { customMetricsApi, type DescribedObject, type MeasuredResource } from './custom-metrics-api.ts';
import { NODE_METRICS, VM_METRICS, type VmMeasurement } from './metrics.ts';

/** Kind of VMs, and the suffix of their instances. */
export interface MeasuredVms {
  readonly type: ResourceType;
  readonly instanceSuffix: string;
}

export interface FleetMetricsDeps {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly vms: readonly MeasuredVms[];
  /** Node size that fractional sizes refer to if simulated nodes differ. */
  readonly referenceNode?: NodeSize;
  /** Returns what the pods of a namespace, or of all, use now. */
  readonly usageIn: (namespace: string, signal: AbortSignal) => Promise<(pod: Pod) => Amounts | undefined>;
}

/** Indexes launcher pods by the key of their instance. */
const byInstanceName: Index<Pod> = {
  values: ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter(({ controller, kind }) => controller === true && kind === VMIS.kind)
      .map(({ name }) => keyIn(metadata.namespace, name)),
};

/** Serves the load of nodes and the usage of VMs of every group as custom metrics. */
export function fleetMetrics(deps: FleetMetricsDeps): ApiExtension[] {
  const instances = { type: VMIS, instanceSuffix: '' };
  const resources = [
    nodeMetrics(deps),
    podMetrics(deps),
    ...[instances, ...deps.vms].map((vms) => vmMetrics(deps, vms)),
  ];
  return customMetricsApi(resources, () => deps.clock.now());
}

function nodeMetrics({ informers, clock, referenceNode: defaultNode }: FleetMetricsDeps): MeasuredResource {
  const nodes = informers.of(NODES);
  // Following every pod is worth it only once somebody asks.
  let loads: NodeLoads | undefined;
  return {
    name: 'nodes',
    namespaced: false,
    metrics: Object.keys(NODE_METRICS),
    valuesOf(metric) {
      loads ??= new NodeLoads({ nodes, pods: informers.of(PODS), clock, defaultNode });
      const values = loads.all().map((load): [DescribedObject, number | undefined] => {
        const metadata = nodes.cache.get(load.name)?.metadata ?? { name: load.name };
        return [{ kind: 'Node', apiVersion: 'v1', metadata }, NODE_METRICS[metric]?.(load)];
      });
      return Promise.resolve(values);
    },
  };
}

function podMetrics(deps: FleetMetricsDeps): MeasuredResource {
  const pods = deps.informers.of(PODS).cache;
  return {
    name: 'pods',
    namespaced: true,
    metrics: Object.keys(VM_METRICS),
    async valuesOf(metric, namespace, signal) {
      const measure = await measurements(deps, namespace, signal);
      const launchers = [...pods.inNamespace(namespace)].filter((pod) => isLive(pod) && vmKeyOfPod(pod) !== undefined);
      return launchers.map((pod) => [described(PODS, pod), VM_METRICS[metric]?.(measure(pod))]);
    },
  };
}

/** Metrics of VMs, or of their instances, which are those of their pods. */
function vmMetrics(deps: FleetMetricsDeps, { type, instanceSuffix }: MeasuredVms): MeasuredResource {
  const { informers } = deps;
  return {
    name: `${type.plural}.${type.group}`,
    namespaced: true,
    metrics: Object.keys(VM_METRICS),
    async valuesOf(metric, namespace, signal) {
      const measure = await measurements(deps, namespace, signal);
      const pods = informers.of(PODS).cache;
      return [...informers.of(type).cache.inNamespace(namespace)].map((vm) => {
        const key = keyIn(namespace, `${vm.metadata.name}${instanceSuffix}`);
        const pod = [...pods.by(byInstanceName, key)].find((each) => isLive(each) && each.spec.nodeName !== undefined);
        return [described(type, vm), pod === undefined ? undefined : VM_METRICS[metric]?.(measure(pod))];
      });
    },
  };
}

async function measurements(
  { informers, usageIn }: FleetMetricsDeps,
  namespace: string,
  signal: AbortSignal,
): Promise<(pod: Pod) => VmMeasurement> {
  const usageOf = await usageIn(namespace, signal);
  const nodes = informers.of(NODES).cache;
  const sizeOf = (node: Node | undefined) => amountsOf(node?.status?.allocatable ?? {});
  return (pod) => ({ pod, used: usageOf(pod), node: sizeOf(nodes.get(pod.spec.nodeName ?? '')) });
}

const described = (type: ResourceType, { metadata }: KubeObject): DescribedObject => ({
  kind: type.kind,
  apiVersion: apiVersionOf(type),
  metadata,
});
