import { describe, expect, it } from 'vitest';
import { KINDS } from '#api/kinds';
import { admitters, findAdmission } from './admitters.ts';

const user = { name: 'jane', groups: [] };
const machine = () => ({
  apiVersion: 'hypersdk.io/v1alpha1',
  kind: 'VirtualMachine',
  metadata: { name: 'web' },
  spec: { cpus: 1, memory: '1Gi', image: { source: 'https://example.com/a.qcow2' } },
});

describe('admission', () => {
  it('exists for every kind', () => {
    expect(admitters().map(({ kind }) => kind)).toEqual([...KINDS]);
  });

  it('is found by every served version of a kind, and by no other', () => {
    const find = findAdmission();
    for (const { group, versions, kind } of KINDS) {
      for (const version of versions) expect(find(`${group}/${version}`, kind)).toBeDefined();
      expect(find(`${group}/v9`, kind)).toBeUndefined();
    }
    expect(find('v1', 'Pod')).toBeUndefined();
  });

  it('warns the creator of an object that no controller acts on yet', () => {
    const write = (operation: 'CREATE' | 'UPDATE', actsOn?: () => boolean) => {
      const find = findAdmission(actsOn === undefined ? {} : { actsOn });
      const admit = find('hypersdk.io/v1alpha1', 'VirtualMachine');
      return admit?.({ operation, object: machine(), user, lookup: () => undefined }).warnings;
    };
    const warning = 'VirtualMachine.hypersdk.io is stored, but nothing acts on it yet';
    expect(write('CREATE', () => false)).toEqual([warning]);
    expect(write('UPDATE', () => false)).toEqual([]);
    expect(write('CREATE')).toEqual([]);
  });

  it('adds a finalizer to a new VM, unless it has no controller', () => {
    const write = (operation: 'CREATE' | 'UPDATE', finalizers: string[], actsOn = () => true) => {
      const spec = { running: false, template: { spec: { domain: { devices: {}, memory: { guest: '1Gi' } } } } };
      const object = {
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachine',
        metadata: { name: 'web', finalizers },
        spec,
      };
      const admit = findAdmission({ actsOn })('kubevirt.io/v1', 'VirtualMachine');
      return admit?.({ operation, object, user, lookup: () => undefined }).object.metadata.finalizers;
    };
    const finalizer = 'kubevirt.io/virtualMachineControllerFinalize';
    expect(write('CREATE', [])).toEqual([finalizer]);
    expect(write('CREATE', ['a/b', finalizer])).toEqual(['a/b', finalizer]);
    expect(write('CREATE', [], () => false)).toEqual([]);
    expect(write('UPDATE', [])).toEqual([]);
  });
});
