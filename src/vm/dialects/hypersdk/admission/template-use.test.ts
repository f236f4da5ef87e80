import { describe, expect, test } from 'vitest';
import { TEMPLATE_FINALIZER } from '#api/hypersdk/template-use';
import { type VirtualMachine, virtualMachine } from '#api/hypersdk/virtual-machine';
import { type VMTemplate, vmTemplate } from '#api/hypersdk/vm-template';
import { formatFieldError } from '#platform/base/field-error';
import { admission } from '#vm/admission/admit';
import type { Lookup } from '#vm/admission/admitter';
import { virtualMachineAdmitter } from './virtual-machine.ts';
import { vmTemplateAdmitter } from './vm-template.ts';

const user = { name: 'jane', groups: ['system:authenticated'] };
const nobody: Lookup = () => undefined;
const image = { source: 'https://images.example.org/debian.qcow2' };

function template(status: object = {}, spec: object = {}, shared = 'default') {
  const { apiVersion, kind } = vmTemplate;
  const object = {
    apiVersion,
    kind,
    metadata: { name: 'debian', namespace: 'images', annotations: { 'vimana.io/machines-from': shared } },
    spec: { displayName: 'Debian', version: '1.0.0', image, ...spec },
  };
  return { ...object, status } as unknown as VMTemplate;
}

describe('a template', () => {
  const admit = admission(vmTemplateAdmitter);
  const named = { spec: { image: { templateRef: { name: 'debian', namespace: 'images' } } } };
  /** Finds VMs that name the template, by default every one that is looked up. */
  const machines = (names?: readonly string[]) =>
    ((_kind: unknown, namespace: string, name: string) =>
      names?.includes(`${namespace}/${name}`) === false ? undefined : { ...named, metadata: { namespace } }) as Lookup;
  const removal = (status: object, groups = user.groups, lookup = machines()) =>
    admit({
      operation: 'DELETE',
      object: template(status),
      old: template(status),
      user: { ...user, groups },
      lookup,
    }).causes.map(formatFieldError);
  const inUse = { usageCount: 2, conditions: [{ type: 'InUse', status: 'True', message: 'default/a, default/b' }] };

  test('has a finalizer from its creation on', () => {
    const { object } = admit({ operation: 'CREATE', object: template(), user, lookup: nobody });
    expect(object.metadata.finalizers).toEqual([TEMPLATE_FINALIZER]);
  });

  test('cannot be deleted while VMs refer to it', () => {
    expect(removal(inUse)).toEqual([
      'metadata.name: Forbidden: the template is in use by default/a, default/b. Delete these VMs, or change their template, first',
    ]);
    expect(removal({ usageCount: 0 })).toEqual([]);
    expect(removal({})).toEqual([]);
  });

  test('may be deleted once the VMs in its status no longer exist', () => {
    expect(removal(inUse, user.groups, machines([]))).toEqual([]);
    expect(removal(inUse, user.groups, machines(['default/b']))).toHaveLength(1);
    // Nothing is known about VMs that are not named.
    expect(removal({ ...inUse, usageCount: 7 }, user.groups, machines([]))).toHaveLength(1);
  });

  test('may be deleted with its namespace, and its finalizer stays until then', () => {
    expect(removal(inUse, ['system:serviceaccounts:kube-system'])).toEqual([]);
  });

  test('may be deleted even if its spec is invalid', () => {
    const broken = { ...template(), spec: {} } as unknown as VMTemplate;
    expect(admit({ operation: 'DELETE', object: broken, old: broken, user, lookup: nobody }).causes).toEqual([]);
  });
});

describe('a VM from a template', () => {
  const admit = admission(virtualMachineAdmitter);
  const advice = { recommendedResources: { minCpus: 2, minMemory: '4Gi', minDiskSize: '20Gi' } };
  const warnings = (found: VMTemplate | undefined, spec: object = {}) => {
    const { apiVersion, kind } = virtualMachine;
    const templateRef = { name: 'debian', namespace: 'images' };
    const object = {
      apiVersion,
      kind,
      metadata: { name: 'web', namespace: 'default' },
      spec: { cpus: 1, memory: '4Gi', image: { templateRef }, ...spec },
    } as unknown as VirtualMachine;
    const lookup = ((_kind: unknown, namespace: string, name: string) =>
      namespace === 'images' && name === 'debian' ? found : undefined) as Lookup;
    return admit({ operation: 'CREATE', object, user, lookup }).warnings;
  };

  test('gets a warning if it has less than the template recommends, counting inherited fields', () => {
    expect(warnings(template({}, { ...advice, defaultSpec: { disks: [{ name: 'root', size: '10Gi' }] } }))).toEqual([
      'spec.cpus (1) is less than template debian recommends (2)',
      'size of disk root (10Gi) is less than template debian recommends (20Gi)',
    ]);
    expect(warnings(template({}, advice), { cpus: 2 })).toEqual([]);
  });

  test('gets one warning if the template does not allow its namespace', () => {
    expect(warnings(template({}, advice, 'shop'))).toEqual([
      expect.stringMatching('VMTemplate images/debian may not be used by VMs of namespace default'),
    ]);
  });

  test('gets no warning about a template that does not exist yet', () => {
    expect(warnings(undefined)).toEqual([]);
  });
});
