import { describe, expect, test } from 'vitest';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import type { VMTemplate } from '#api/hypersdk/vm-template';
import { withTemplate } from './template.ts';

const machine = (spec: object = {}, status: object = {}) =>
  ({
    metadata: { name: 'web', namespace: 'default' },
    spec: { cpus: 2, memory: '4Gi', running: true, image: { templateRef: { name: 'debian' } }, ...spec },
    status,
  }) as unknown as VirtualMachine;

const template = (spec: object = {}, status: object = {}) =>
  ({
    metadata: { name: 'debian', namespace: 'default', uid: 'u', generation: 3 },
    spec: { displayName: 'Debian', version: '1.4.0', image: { source: 'debian:12', size: '12Gi' }, ...spec },
    status: { observedGeneration: 3, ...status },
  }) as unknown as VMTemplate;

const against = (type: string) => ({ conditions: [{ type, status: 'False', reason: 'No', message: 'for a reason' }] });

test('a VM without a template is not changed', () => {
  const vm = machine({ image: { source: 'debian:12' } });
  expect(withTemplate(vm, undefined)).toEqual({ spec: vm.spec });
});

test('a VM records the template and the generation that it was created from', () => {
  const { spec, basis, blocked } = withTemplate(machine(), template());
  expect({ basis, blocked }).toEqual({ basis: 'default/debian@1.4.0 u.3', blocked: undefined });
  expect(spec).toMatchObject({ image: { source: 'debian:12' }, disks: [{ name: 'root', size: '12Gi' }] });
});

test('a VM waits for a missing template, by its name', () => {
  expect(withTemplate(machine(), 'missing').blocked).toEqual({
    reason: 'NotFound',
    message: 'VMTemplate default/debian not found, waiting',
  });
  const elsewhere = machine({ image: { templateRef: { name: 'debian', namespace: 'images' } } });
  expect(withTemplate(elsewhere, 'missing').blocked?.message).toContain('images/debian');
});

test('a template that does not allow the namespace is not used', () => {
  const elsewhere = machine({ image: { templateRef: { name: 'debian', namespace: 'images' } } });
  expect(withTemplate(elsewhere, 'withheld')).toEqual({
    spec: elsewhere.spec,
    blocked: {
      reason: 'Forbidden',
      message:
        'VMTemplate images/debian may not be used by VMs of namespace default: to allow it, add default to the comma-separated annotation vimana.io/machines-from of the template',
    },
  });
});

describe('a VM is blocked', () => {
  test('by an invalid template', () => {
    expect(withTemplate(machine(), template({}, against('Valid'))).blocked).toEqual({
      reason: 'TemplateInvalid',
      message: 'VMTemplate default/debian is not valid: for a reason',
    });
  });

  test('by an inaccessible image, unless its disks already exist', () => {
    const without = template({}, against('ImageAccessible'));
    expect(withTemplate(machine(), without).blocked?.reason).toBe('ImageNotAccessible');
    expect(withTemplate(machine({}, { startTime: '2030-01-01T00:00:00Z' }), without).blocked).toBeUndefined();
  });

  test('by a first disk that is smaller than the image', () => {
    const small = { name: 'root', size: '8Gi', bootOrder: 1 };
    const large = { name: 'data', size: '50Gi' };
    expect(withTemplate(machine({ disks: [large, small] }), template()).blocked).toMatchObject({
      reason: 'DiskTooSmall',
      message:
        'the image of VMTemplate default/debian requires 12Gi, but disk root has 8Gi: increase its size in spec.disks',
    });
    expect(withTemplate(machine({ disks: [large] }), template()).blocked).toBeUndefined();
  });
});

test('the status of an earlier generation of a template is ignored', () => {
  const judged = { ...against('Valid'), observedGeneration: 2 };
  expect(withTemplate(machine(), template({}, judged)).blocked).toBeUndefined();
});
