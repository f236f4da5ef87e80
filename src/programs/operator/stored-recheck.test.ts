import { describe, expect, it } from 'vitest';
import {
  virtualMachine as kubevirtMachine,
  virtualMachineInstance,
  virtualMachineInstanceMigration,
} from '#api/kubevirt/group';
import { virtualMachine as simulatedMachine } from '#api/simulation/virtual-machine';
import type { KubeObject } from '#platform/kube/kube-object';
import { storedRecheck } from './stored-recheck.ts';

const review = storedRecheck();
const stored = (spec: object, metadata: object = {}) =>
  ({ metadata: { name: 'a', namespace: 'b', ...metadata }, spec }) as unknown as KubeObject;
const domain = { devices: {}, memory: { guest: '64Mi' } };
const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'a', uid: 'u', controller: true };

describe('the recheck of stored objects', () => {
  it('reports all errors that admission reports', () => {
    const spec = { running: true, runStrategy: 'Always', template: { spec: { domain, networks: [{ name: 'x' }] } } };
    const { reason, message } = review(kubevirtMachine, stored(spec)) ?? {};
    expect(reason).toBe('Invalid');
    expect(message).toContain('VirtualMachine.kubevirt.io "a" is invalid: [');
    expect(message).toContain('mutually exclusive');
    expect(message).toContain('spec.template.spec.networks[0]');
  });

  it('reports nothing for a valid object, and changes nothing', () => {
    const object = stored({ running: true, template: { spec: { domain } } });
    const before = JSON.stringify(object);
    expect(review(kubevirtMachine, object)).toBeUndefined();
    expect(JSON.stringify(object)).toBe(before);
  });

  it('leaves a disk of the old form to the VM controller, which reports it', () => {
    const spec = { domain: { ...domain, devices: { disks: [{ name: 'd', volumeName: 'none', disk: {} }] } } };
    expect(review(kubevirtMachine, stored({ running: true, template: { spec } }))).toBeUndefined();
  });

  it('accepts instances that a VM has created', () => {
    const labels = { 'kubevirt.io/created-by': 'u' };
    expect(review(virtualMachineInstance, stored({ domain }, { labels }))?.message).toContain('reserved');
    expect(review(virtualMachineInstance, stored({ domain }, { labels, ownerReferences: [owner] }))).toBeUndefined();
    expect(review(virtualMachineInstance, stored({ domain: { devices: {} } }))?.message).toContain('memory');
  });

  it.each([
    [virtualMachineInstanceMigration, { vmiName: 'a', addedNodeSelector: { 'no key': 'x' } }, 'addedNodeSelector'],
    [simulatedMachine, { running: true, resources: { cpu: 'much', memory: '1Gi' } }, 'spec.resources.cpu'],
  ] as const)('checks %o too', (kind, spec, words) => {
    expect(review(kind, stored(spec))?.message).toContain(words);
  });
});
