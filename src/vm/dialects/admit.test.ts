import { describe, expect, it } from 'vitest';
import { findAdmission } from './admitters.ts';

const find = findAdmission();
const user = { name: 'jane', groups: [] };

function write(object: { apiVersion: string; kind: string }) {
  const { causes, warnings } = find(
    object.apiVersion,
    object.kind,
  )?.({
    operation: 'CREATE',
    object,
    user,
    lookup: () => undefined,
  }) ?? { causes: [], warnings: [] };
  return { fields: causes.map(({ field }) => field), warnings };
}

const network = (subnets: object[], policies: object[] = []) => ({
  apiVersion: 'novacron.io/v1alpha1',
  kind: 'VMNetwork',
  metadata: { name: 'net' },
  spec: { type: 'bridge', subnets, policies },
});

describe('all causes are reported at once', () => {
  it('including those below a duplicate', () => {
    const subnet = { name: 'a', cidr: '10.0.0.0/24' };
    const { fields } = write(network([subnet, { name: 'a', cidr: '10.1.0.0/24', gateway: '10.2.0.1' }]));
    expect(fields).toEqual(expect.arrayContaining(['spec.subnets[1]', 'spec.subnets[1].gateway']));
  });

  it('including those below an object that a rule rejects', () => {
    const { fields } = write({
      apiVersion: 'hypersdk.io/v1alpha1',
      kind: 'VirtualMachine',
      metadata: { name: 'web' },
      spec: {
        cpus: 1,
        memory: '1Gi',
        image: { source: 'https://a.example/b', templateRef: { name: 't' }, checksum: { type: 'sha256', value: 'zz' } },
      },
    } as never);
    expect(fields).toEqual(expect.arrayContaining(['spec.image', 'spec.image.checksum.value']));
  });

  it('but only once for each value', () => {
    const { fields } = write(network([{ name: 'a', cidr: 'nowhere' }]));
    expect(fields.filter((field) => field === 'spec.subnets[0].cidr')).toHaveLength(1);
  });

  it('but not for absent fields', () => {
    const { fields, warnings } = write({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { name: 'move' },
      spec: {},
    } as never);
    expect(fields).toContain('spec.vmiName');
    expect(warnings).toEqual([]);
  });
});
