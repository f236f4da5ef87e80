import { describe, expect, it } from 'vitest';
import type { VirtualMachine } from '#api/kubevirt/virtual-machine';
import { cloneVmSpec } from './clone-vm-spec.ts';
import { kubevirtResize, kubevirtSizeOf } from './size.ts';

const machine = (domain: object, more: object = {}) =>
  ({
    spec: { runStrategy: 'Manual', template: { spec: { domain: { devices: {}, ...domain }, ...more } } },
  }) as unknown as VirtualMachine;

describe('the size of a VM of kubevirt.io', () => {
  it('is the number of all threads, and the memory of the guest', () => {
    const vm = machine({ cpu: { sockets: 2, cores: 2, threads: 2 }, memory: { guest: '4Gi' } });
    expect(kubevirtSizeOf(vm)).toEqual({ cpus: 8, memory: '4Gi' });
    expect(kubevirtSizeOf(machine({ resources: { requests: { memory: '1Gi' } } }))).toEqual({ cpus: 1, memory: '1Gi' });
  });

  it('changes by sockets, and in the field that contains it', () => {
    const vm = machine({ cpu: { sockets: 1, cores: 2 }, memory: { guest: '4Gi' } });
    expect(kubevirtResize(vm, { cpus: 6, memory: '4Gi' })).toEqual({
      spec: { template: { spec: { domain: { cpu: { sockets: 3 } } } } },
    });
    const requested = machine({ resources: { requests: { memory: '1Gi' } } });
    expect(kubevirtResize(requested, { cpus: 1, memory: '2Gi' })).toEqual({
      spec: { template: { spec: { domain: { resources: { requests: { memory: '2Gi' } } } } } },
    });
  });

  it('is always a whole number of sockets', () => {
    const vm = machine({ cpu: { sockets: 1, cores: 2 }, memory: { guest: '4Gi' } });
    expect(kubevirtResize(vm, { cpus: 3, memory: '4Gi' }).conflict).toMatch(/must be a multiple of 2$/);
  });
});

describe('a clone of a VM of kubevirt.io', () => {
  const vm = machine(
    { firmware: { uuid: 'u', serial: 's', bootloader: { bios: {} } } },
    {
      volumes: [
        { name: 'root', dataVolume: { name: 'dv' } },
        { name: 'tmp', emptyDisk: { capacity: '1Gi' } },
      ],
    },
  );
  const claims = new Map([['root', 'copy-root']]);

  it('has its own disks and identifiers', () => {
    expect(cloneVmSpec(vm, { name: 'copy', namespace: 'default', start: true, claims })).toEqual({
      runStrategy: 'Always',
      template: {
        spec: {
          domain: { devices: {}, firmware: { bootloader: { bios: {} } } },
          volumes: [
            { name: 'root', persistentVolumeClaim: { claimName: 'copy-root' } },
            { name: 'tmp', emptyDisk: { capacity: '1Gi' } },
          ],
        },
      },
    });
  });

  it('stays stopped unless a start is requested', () => {
    expect(cloneVmSpec(vm, { name: 'copy', namespace: 'default', start: false, claims })).toMatchObject({
      runStrategy: 'Manual',
    });
  });
});
