import { describe, expect, it } from 'vitest';
import { kubevirtDialect } from '#testing/vm-harness';
import { desiredVm, vmMetadata } from './instance.fixture.ts';
import { buildInstance } from './instance.ts';

const machine = { metadata: vmMetadata() };
const identity = { default: { mac: '02:00:00:00:00:01', ip: '10.244.0.9' } };
const made = (more: Partial<Parameters<typeof buildInstance>[0]> = {}) =>
  buildInstance({
    dialect: kubevirtDialect,
    vm: machine,
    desired: desiredVm(),
    identity,
    rollout: 'LiveUpdate',
    ...more,
  });

describe('the instance of a machine', () => {
  it('is named after it, is its own, and carries what agents need', () => {
    expect(made()).toMatchObject({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: {
        name: 'web',
        namespace: 'default',
        annotations: {
          'kubevirt.io/vm-generation': '3',
          'vimana.io/identity': '{"default":{"mac":"02:00:00:00:00:01","ip":"10.244.0.9"}}',
        },
        finalizers: ['foregroundDeleteVirtualMachine'],
        ownerReferences: [
          {
            apiVersion: 'kubevirt.io/v1',
            kind: 'VirtualMachine',
            name: 'web',
            uid: 'vm',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
    });
    const other = { ...kubevirtDialect, instanceSuffix: '.other' };
    expect(made({ dialect: other }).metadata.name).toBe('web.other');
  });

  it('carries the labels and annotations of the template, but none that lead controllers astray', () => {
    const labels = { app: 'web', 'kubevirt.io/created-by': 'me', 'kubevirt.io/nodeName': 'n' };
    const annotations = {
      note: 'x',
      'vimana.io/identity': '{}',
      'vimana.io/paused': 'true',
      'kubevirt.io/vm-generation': '9',
    };
    const { metadata } = made({ desired: desiredVm({ labels, annotations }) });
    expect(metadata.labels).toEqual({ app: 'web' });
    expect(Object.keys(metadata.annotations ?? {})).toEqual([
      'note',
      'kubevirt.io/vm-generation',
      'vimana.io/identity',
    ]);
    expect(metadata.annotations).toMatchObject({ 'kubevirt.io/vm-generation': '3' });
  });

  it('stands still where that is asked for', () => {
    expect(made({ paused: true })).toHaveProperty('spec.startStrategy', 'Paused');
    expect(made()).not.toHaveProperty('spec.startStrategy');
  });
});
