import { describe, expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import { instancesByOwner } from '#vm/view/instance-owner';
import { formatShown } from './output.ts';
import { cellsOf, summaryOf } from './summary.ts';
import type { CliVm } from './vm-kinds.ts';

const created = '2030-01-01T00:00:00Z';
const now = Date.parse(created) + 90_000;

const machine: CliVm = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', creationTimestamp: created },
  spec: { template: { spec: { domain: { cpu: { cores: 2, sockets: 2 }, memory: { guest: '4Gi' } } } } },
  status: { printableStatus: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
};
const instance = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: {
    name: 'web',
    namespace: 'shop',
    ownerReferences: [{ apiVersion: '', kind: '', name: 'web', uid: 'u1', controller: true }],
  },
  spec: { domain: { cpu: { cores: 2, sockets: 2 }, memory: { guest: '4Gi' } } },
  status: { phase: 'Running', nodeName: 'n1', interfaces: [{ ipAddress: '10.244.0.7' }] },
} as unknown as Vmi;

describe('the summary of a VM', () => {
  it('takes node and address from the instance of the VM', () => {
    const found = instancesByOwner([instance]).get('u1');
    expect(cellsOf(summaryOf(machine, found), now, { wide: true })).toEqual([
      ...['web', 'kubevirt.io', 'Running', 'True', '90s', 'n1', '10.244.0.7', '4', '4Gi'],
    ]);
  });

  it('shows no node for a VM that has ended', () => {
    const ended = { ...instance, status: { ...instance.status, phase: 'Failed' } } as Vmi;
    expect(summaryOf(machine, ended)).toMatchObject({ node: '', ip: '' });
  });

  it('shows what is known of a VM without instance and status', () => {
    const bare: CliVm = { ...machine, status: {}, spec: {} };
    expect(cellsOf(summaryOf(bare, undefined), now, { wide: true })).toEqual([
      ...['web', 'kubevirt.io', 'Unknown', 'False', '90s', '<none>', '<none>', '<none>', '<none>'],
    ]);
  });

  it('reads the flat status of other groups', () => {
    const other: CliVm = {
      ...machine,
      apiVersion: 'hypersdk.io/v1alpha1',
      spec: { cpus: 3, memory: '1Gi' },
      status: { phase: 'Stopped', nodeName: 'n2', ipAddresses: ['10.0.0.9'] },
    };
    expect(summaryOf(other, undefined)).toMatchObject({ status: 'Stopped', node: 'n2', ip: '10.0.0.9', cpus: '3' });
  });
});

describe('the size of a VM', () => {
  const of = (apiVersion: string, spec: object, seen?: Vmi) => {
    const { cpus, memory } = summaryOf({ ...machine, apiVersion, spec } as CliVm, seen);
    return [cpus, memory];
  };
  const grown = {
    ...instance,
    status: { ...instance.status, memory: { guestCurrent: '2Gi' }, currentCPUTopology: { sockets: 1 } },
  } as Vmi;

  it.each<[string, object, string[]]>([
    ['novacron.io/v1alpha1', { template: { spec: { resources: { cpu: 2, memory: '4Gi' } } } }, ['2', '4Gi']],
    ['simulation.node-classifier.io/v1alpha1', { resources: { cpu: '500m', memory: '8Gi' } }, ['1', '8Gi']],
    ['hypersdk.io/v1alpha1', { cpus: 3, memory: '1Gi' }, ['3', '1Gi']],
  ])('of %s is that of its spec while it is stopped', (apiVersion, spec, size) => {
    expect(of(apiVersion, spec)).toEqual(size);
    const ended = { ...instance, status: { ...instance.status, phase: 'Succeeded' } } as Vmi;
    expect(of(apiVersion, spec, ended)).toEqual(size);
  });

  it('is that of the guest while it runs, even if the spec differs', () => {
    expect(of('hypersdk.io/v1alpha1', { cpus: 3, memory: '9Gi' }, grown)).toEqual(['1', '2Gi']);
    expect(of('hypersdk.io/v1alpha1', { cpus: 3, memory: '9Gi' }, instance)).toEqual(['4', '4Gi']);
  });
});

it('a VM with the condition Paused is shown as Paused', () => {
  const conditions = [{ type: 'Paused', status: 'True' }];
  const status = (phase: string) => summaryOf({ ...machine, status: { phase, conditions } }, undefined).status;
  expect([status('Running'), status('Migrating')]).toEqual(['Paused', 'Migrating']);
});

describe('the output', () => {
  const show = (format: 'table' | 'json' | 'yaml' | 'name', single = true) =>
    formatShown([{ machine, instance }], { format, namespaces: true, managedFields: false, now }, { single });

  it('is a table with aligned columns', () => {
    expect(show('table')).toBe(
      'NAMESPACE   NAME   GROUP         STATUS    READY   AGE\nshop        web    kubevirt.io   Running   True    90s\n',
    );
  });

  it('is the object itself for one, and a List for several', () => {
    expect(JSON.parse(show('json'))).toEqual(machine);
    expect(JSON.parse(show('json', false))).toEqual({ apiVersion: 'v1', kind: 'List', items: [machine] });
  });

  it('is a name that kubectl accepts', () => {
    expect(show('name')).toBe('virtualmachine.kubevirt.io/web\n');
  });
});
