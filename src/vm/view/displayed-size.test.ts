import { describe, expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import type { DesiredVm, Dialect } from '#vm/engine/dialect';
import { displayedSize } from './displayed-size.ts';
import type { VmObject } from './vm-object.ts';

/** A group whose VMs have the fields `cores` and `ram`. */
interface Spec {
  readonly hardware: { readonly cores: number; readonly ram: string };
}
type SizedDialect = Pick<Dialect, 'size' | 'desiredVm'>;

const hardwareOf = (vm: object) => (vm as { readonly spec: Spec }).spec.hardware;
const desiredVm = (vm: object): DesiredVm => {
  const { cores, ram } = hardwareOf(vm);
  const domain = { cpu: { cores, sockets: 2 }, memory: { guest: ram }, devices: {} };
  return { runStrategy: 'Halted', labels: {}, annotations: {}, spec: { domain } };
};
const fixed: SizedDialect = { desiredVm };
const resizable: SizedDialect = {
  desiredVm,
  size: (vm) => ({ cpus: hardwareOf(vm).cores * 2, memory: hardwareOf(vm).ram }),
};

const vm = (spec: Readonly<Record<string, unknown>>): VmObject => ({
  apiVersion: 'example.io/v1',
  kind: 'VirtualMachine',
  metadata: {},
  spec,
});
const stopped = vm({ hardware: { cores: 2, ram: '4Gi' } });

describe('the size of a stopped VM', () => {
  it.each<[string, SizedDialect]>([
    ['by its dialect', resizable],
    ['by its desired instance, if its dialect cannot resize', fixed],
  ])('is found in the fields of its group %s', (_how, dialect) => {
    expect(displayedSize(stopped, undefined, dialect)).toEqual({ cpus: '4', memory: '4Gi' });
  });

  it.each<[string, SizedDialect]>([
    ['can', resizable],
    ['cannot', fixed],
  ])('is unknown without these fields, if its dialect %s resize', (_can, dialect) => {
    expect(displayedSize(vm({}), undefined, dialect)).toEqual({ cpus: '', memory: '' });
  });

  it('has no memory if the dialect finds none', () => {
    const none: SizedDialect = { desiredVm, size: () => ({ cpus: 1, memory: '0' }) };
    expect(displayedSize(stopped, undefined, none)).toEqual({ cpus: '1', memory: '' });
  });
});

it('the size of a running VM is that of its guest', () => {
  const domain = { cpu: { cores: 1 }, memory: { guest: '1Gi' }, devices: {} };
  const running = { spec: { domain } } as unknown as Vmi;
  expect(displayedSize(stopped, running, resizable)).toEqual({ cpus: '1', memory: '1Gi' });
  const grown = { ...running, status: { currentCPUTopology: { sockets: 3 }, memory: { guestCurrent: '2Gi' } } } as Vmi;
  expect(displayedSize(stopped, grown, resizable)).toEqual({ cpus: '3', memory: '2Gi' });
});
