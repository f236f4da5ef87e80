import { describe, expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import type { KubeObject } from '#platform/kube/kube-object';
import { IndexedCache } from '#platform/runtime/cache';
import { Metrics } from '#platform/runtime/metrics';
import { kubevirtDialect } from '#testing/vm-harness';
import { type InstanceTraits, instanceLike } from './instance.fixture.ts';
import { vmMetrics } from './metrics.ts';

const machine = (name: string, namespace: string, printableStatus?: string): KubeObject => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name, namespace, uid: `${namespace}/${name}`, resourceVersion: '1' },
  ...(printableStatus === undefined ? {} : { status: { printableStatus } }),
});
function instance(name: string, looks: InstanceTraits, nodeName?: string): Vmi {
  const { metadata, status, ...rest } = instanceLike(looks);
  const placed = nodeName === undefined ? {} : { nodeName };
  return { ...rest, metadata: { ...metadata, name, uid: name }, status: { ...status, ...placed } } as Vmi;
}

describe('the metrics of VMs', () => {
  it('count them by state, and report the usage of running ones', async () => {
    const vms = new IndexedCache<KubeObject>();
    for (const [name, namespace, phase] of [
      ['a', 'x', 'Running'],
      ['b', 'x', 'Running'],
      ['c', 'x', 'Stopped'],
      ['a', 'y', undefined],
    ] as const) {
      vms.put(machine(name, namespace, phase));
    }
    const instances = new IndexedCache<Vmi>();
    instances.put(instance('a', {}, 'n1'));
    instances.put(instance('alone', { owner: '' }, 'n2'));
    instances.put(instance('unknown', { owner: '' }, 'n2'));
    instances.put(instance('new', { phase: 'Pending' }));
    const metrics = new Metrics();
    const usage = ({ metadata }: Vmi) =>
      metadata.name === 'unknown' ? undefined : { cpuCores: 0.5, memoryBytes: 2 ** 30 + 0.4 };
    const options = { vms: [{ dialect: kubevirtDialect, cache: vms }], instances, usage };
    for (const measured of vmMetrics(options)) metrics.measure(measured);
    const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('vimana_vm_'));
    expect(lines).toEqual([
      'vimana_vm_total{group="kubevirt.io",namespace="x",phase="Running"} 2',
      'vimana_vm_total{group="kubevirt.io",namespace="x",phase="Stopped"} 1',
      'vimana_vm_total{group="kubevirt.io",namespace="y",phase="Unknown"} 1',
      'vimana_vm_cpu_usage_cores{group="kubevirt.io",namespace="default",vm="web",node="n1"} 0.5',
      'vimana_vm_cpu_usage_cores{group="kubevirt.io",namespace="default",vm="alone",node="n2"} 0.5',
      'vimana_vm_memory_usage_bytes{group="kubevirt.io",namespace="default",vm="web",node="n1"} 1073741824',
      'vimana_vm_memory_usage_bytes{group="kubevirt.io",namespace="default",vm="alone",node="n2"} 1073741824',
    ]);
  });
});
