import type { Vmi } from '#api/kubevirt/resources';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Cache } from '#platform/runtime/cache';
import type { MetricDefinition } from '#platform/runtime/metrics';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { Dialect } from './dialect.ts';

/** Current usage of a VM. */
export interface VmUsage {
  readonly cpuCores: number;
  readonly memoryBytes: number;
}

export interface VmMetricsOptions {
  /** VMs of each enabled group. */
  readonly vms: readonly { readonly dialect: Dialect; readonly cache: Cache }[];
  readonly instances: Cache<Vmi>;
  /** Returns the usage of a running instance, or undefined if it is unknown. */
  readonly usage: (instance: Vmi) => VmUsage | undefined;
}

const PLACE = ['group', 'namespace', 'vm', 'node'];

/** Defines the metrics of VM counts by state and of VM usage, computed on each scrape. */
export function vmMetrics({ vms, instances, usage }: VmMetricsOptions): readonly MetricDefinition[] {
  const used = (of: (usage: VmUsage) => number): MetricDefinition['values'] =>
    function* values() {
      for (const instance of instances.all()) {
        const { nodeName = '', phase } = instance.status ?? {};
        const found = phase === 'Running' ? usage(instance) : undefined;
        if (found !== undefined) yield { labels: { ...machineOf(instance), node: nodeName }, value: of(found) };
      }
    };
  return [
    {
      name: 'vimana_vm_total',
      help: 'Virtual machines by state.',
      labels: ['group', 'namespace', 'phase'],
      values: () => vms.flatMap(({ dialect, cache }) => counts(dialect, cache)),
    },
    {
      name: 'vimana_vm_cpu_usage_cores',
      help: 'CPU usage of a virtual machine in cores.',
      labels: PLACE,
      values: used(({ cpuCores }) => cpuCores),
    },
    {
      name: 'vimana_vm_memory_usage_bytes',
      help: 'Memory usage of a virtual machine.',
      labels: PLACE,
      values: used(({ memoryBytes }) => Math.round(memoryBytes)),
    },
  ];
}

function counts(dialect: Dialect, vms: Cache) {
  const { group } = dialect.kind;
  const found = new Map<string, { labels: { group: string; namespace: string; phase: string }; value: number }>();
  for (const vm of vms.all()) {
    const { namespace = '' } = vm.metadata;
    const phase = dialect.phase(vm as KubeObject & ObjectOf<Kind>);
    const known = found.get(`${namespace}/${phase}`);
    if (known === undefined) found.set(`${namespace}/${phase}`, { labels: { group, namespace, phase }, value: 1 });
    else known.value++;
  }
  return [...found.values()];
}

/** Returns the VM that an instance runs. A standalone instance stands for itself. */
function machineOf({ apiVersion, metadata }: Vmi): { group: string; namespace: string; vm: string } {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const group = (owner?.apiVersion ?? apiVersion).split('/')[0] ?? '';
  return { group, namespace: metadata.namespace, vm: owner?.name ?? metadata.name };
}
