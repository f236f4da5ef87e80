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

describe('the instance of a VM', () => {
  it('is named after it, is owned by it, and has what node agents need', () => {
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

  it('has the labels and annotations of the template, except those that would mislead controllers', () => {
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

  it('starts paused if that is requested', () => {
    expect(made({ paused: true })).toHaveProperty('spec.startStrategy', 'Paused');
    expect(made()).not.toHaveProperty('spec.startStrategy');
  });
});
