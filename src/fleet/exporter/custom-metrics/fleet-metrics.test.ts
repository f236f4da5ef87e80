import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import type { ExtensionRequest } from '#platform/kube/api-extension';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { resourceType } from '#platform/kube/kinds/resource-type';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Change, IndexedCache } from '#platform/runtime/cache';
import type { Informers } from '#platform/runtime/informers';
import { fleetMetrics } from './fleet-metrics.ts';

const KUBEVIRT = resourceType('kubevirt.io/v1', 'VirtualMachine', 'virtualmachines');
const HYPERSDK = resourceType('hypersdk.io/v1alpha1', 'VirtualMachine', 'virtualmachines');

const node = (name: string, labels: object = {}) =>
  ({
    metadata: { name, resourceVersion: '1', labels: { type: 'kwok', ...labels } },
    status: { allocatable: { cpu: '32', memory: '128Gi' } },
  }) as unknown as Node;

function launcher(vm: string, instance: string, consumption?: readonly [string, string]): Pod {
  const [cpu, memory] = consumption ?? [];
  const annotations =
    consumption === undefined
      ? {}
      : { 'kubevirt.io/vm-cpu-consumption': cpu, 'kubevirt.io/vm-memory-consumption': memory };
  return {
    metadata: {
      name: `virt-launcher-${instance}`,
      namespace: 'default',
      uid: instance,
      resourceVersion: '1',
      labels: { 'kubevirt.io/domain': vm },
      annotations,
      ownerReferences: [{ kind: 'VirtualMachineInstance', name: instance, uid: instance, controller: true }],
    },
    spec: { nodeName: 'n1' },
    status: { phase: 'Running' },
  } as unknown as Pod;
}

const vm = (name: string, labels: object = {}): KubeObject =>
  ({ metadata: { name, namespace: 'default', resourceVersion: '1', labels } }) as never;

/** Returns a function that requests metrics of a fleet: one VM with and one without annotations, of two groups. */
function fleet() {
  const informers = new Map<string, { cache: IndexedCache<KubeObject>; onChange: (listen: Listener) => unknown }>();
  type Listener = (change: Change) => void;
  const of = ({ plural, group }: { readonly plural: string; readonly group: string }) => {
    const cache = new IndexedCache<KubeObject>(() => {});
    const onChange = (listen: Listener) => {
      for (const object of cache.all()) listen({ type: 'added', object });
    };
    const known = informers.get(`${plural}.${group}`) ?? { cache, onChange };
    informers.set(`${plural}.${group}`, known);
    return known;
  };
  const put = (plural: string, group: string, ...objects: readonly object[]) => {
    for (const object of objects) of({ plural, group }).cache.put(object as KubeObject);
  };
  put('nodes', '', node('n1', { pool: 'a' }), node('n2'));
  put('pods', '', launcher('web', 'web', ['0.05', '0.08']), launcher('web', 'web.hypersdk'));
  put('virtualmachines', 'kubevirt.io', vm('web', { tier: 'front' }), vm('stopped'));
  put('virtualmachines', 'hypersdk.io', vm('web'));
  put('virtualmachineinstances', 'kubevirt.io', vm('web'), vm('web.hypersdk'));
  const extensions = fleetMetrics({
    informers: { of } as unknown as Informers,
    clock: new FakeClock({ start: Date.UTC(2030, 0, 1) }),
    vms: [
      { type: KUBEVIRT, instanceSuffix: '' },
      { type: HYPERSDK, instanceSuffix: '.hypersdk' },
    ],
    usageIn: () => Promise.resolve(() => ({ cores: 8, bytes: 2 ** 30 })),
  });
  const request = async (path: string, version = 'v1beta2') => {
    const url = new URL(path, 'http://localhost/');
    const parts = url.pathname.slice(1).split('/');
    const namespaced = parts[0] === 'namespaces';
    const [resource = '', name = '', subresource = ''] = namespaced ? parts.slice(2) : parts;
    const extension = extensions.find((each) => each.version === version);
    const answer = await extension?.handle({
      resource,
      name,
      subresource,
      namespace: namespaced ? parts[1] : '',
      query: url.searchParams,
      signal: new AbortController().signal,
    } as unknown as ExtensionRequest);
    return (answer as { body: { items: { describedObject: { name: string }; value: string }[] } }).body;
  };
  const values = async (path: string) =>
    (await request(path)).items.map(({ describedObject, value }) => `${describedObject.name} ${value}`);
  return { extensions, request, values };
}

describe('custom.metrics.k8s.io', () => {
  it('lists its metrics per resource, in both versions', () => {
    const { extensions } = fleet();
    expect(extensions.map(({ version }) => version)).toEqual(['v1beta2', 'v1beta1']);
    const names = extensions[0]?.resources.map(({ name, namespaced }) => `${name} ${namespaced}`);
    expect(names).toContain('nodes/node_memory_usage_ratio false');
    for (const resource of ['pods', 'virtualmachineinstances.kubevirt.io', 'virtualmachines.hypersdk.io'])
      expect(names).toContain(`${resource}/vm_cpu_consumption true`);
  });

  it.each([
    ['v1beta1', { metricName: 'node_memory_usage_ratio', selector: null }],
    ['v1beta2', { metric: { name: 'node_memory_usage_ratio' } }],
  ])('has the form of %s', async (version, identity) => {
    expect(await fleet().request('nodes/n1/node_memory_usage_ratio', version)).toEqual({
      kind: 'MetricValueList',
      apiVersion: `custom.metrics.k8s.io/${version}`,
      metadata: {},
      items: [
        {
          describedObject: { kind: 'Node', name: 'n1', apiVersion: 'v1' },
          ...identity,
          timestamp: '2030-01-01T00:00:00Z',
          value: '80m',
        },
      ],
    });
  });

  it.each([
    ['nodes/*/node_vm_count', ['n1 2', 'n2 0']],
    ['nodes/*/node_vm_count?labelSelector=pool%3Da', ['n1 2']],
    ['nodes/*/node_vm_count?metricLabelSelector=a%3Db', []],
    ['namespaces/default/virtualmachines.kubevirt.io/*/vm_cpu_consumption', ['web 50m']],
    ['namespaces/default/virtualmachines.kubevirt.io/*/vm_cpu_consumption?labelSelector=tier%3Dback', []],
    // Without an annotation, the consumption is what the VM uses of its node.
    ['namespaces/default/virtualmachines.hypersdk.io/web/vm_cpu_consumption', ['web 250m']],
    ['namespaces/default/virtualmachines.hypersdk.io/web/vm_memory_usage_bytes', ['web 1073741824']],
    ['namespaces/default/virtualmachineinstances.kubevirt.io/*/vm_cpu_usage_cores', ['web 8', 'web.hypersdk 8']],
    ['namespaces/default/pods/virt-launcher-web/vm_memory_consumption', ['virt-launcher-web 80m']],
    ['namespaces/other/pods/*/vm_memory_consumption', []],
  ])('answers %s', async (path, expected) => {
    expect(await fleet().values(path)).toEqual(expected);
  });

  it('reports objects without the metric, and invalid selectors', async () => {
    const { request } = fleet();
    const stopped = 'namespaces/default/virtualmachines.kubevirt.io/stopped/vm_cpu_consumption';
    await expect(request(stopped)).rejects.toMatchObject({
      code: 404,
      message: 'the server could not find the metric vm_cpu_consumption for virtualmachines.kubevirt.io stopped',
    });
    await expect(request('nodes/*/node_vm_count?labelSelector=a%20b%20c')).rejects.toMatchObject({ code: 400 });
  });
});
