import { expect, test } from 'vitest';
import { DIALECT_NAMES, type DialectName } from '#api/groups';
import type { CustomResourceDefinition } from '#platform/kube/kinds/custom-resource-definition';
import { withVmShortName } from '#programs/cli/vm-short-name';
import { crdFor, kindsOf } from './crds.ts';
import { planVmShortName } from './plan-vm-short-name.ts';

const installed = (dialects: readonly DialectName[], group: string) =>
  withVmShortName(kindsOf(dialects), group).map(crdFor);
const foreign = (group: string): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `virtualmachines.${group}` },
  spec: { group, names: { plural: 'virtualmachines', shortNames: ['vm'] }, versions: [] },
});

interface Case {
  readonly what: string;
  readonly before: readonly CustomResourceDefinition[];
  readonly dialects: readonly DialectName[];
  readonly requested?: string;
  readonly group: string;
  readonly withheld?: readonly string[];
  readonly note?: string;
}

test.each<Case>([
  { what: 'a new cluster', before: [], dialects: DIALECT_NAMES, group: 'kubevirt.io' },
  { what: 'a new cluster with one group', before: [], dialects: ['novacron'], group: 'novacron.io' },
  {
    what: 'a second group',
    before: installed(['hypersdk'], 'hypersdk.io'),
    dialects: ['kubevirt'],
    group: 'hypersdk.io',
    note: 'vm still means VMs of hypersdk.io; --vm-short-name changes that. Use the full name: virtualmachines.kubevirt.io.',
  },
  {
    what: 'the request of a second group',
    before: installed(['hypersdk'], 'hypersdk.io'),
    dialects: ['kubevirt'],
    requested: 'kubevirt.io',
    group: 'kubevirt.io',
    withheld: ['virtualmachines.hypersdk.io'],
    note: 'vm means VMs of kubevirt.io from now on, no longer of hypersdk.io (kubectl get virtualmachines.hypersdk.io).',
  },
  {
    what: 'an older version, where all groups had the name',
    before: kindsOf(DIALECT_NAMES).map(crdFor),
    dialects: ['kubevirt', 'hypersdk'],
    group: 'kubevirt.io',
    withheld: ['virtualmachines.novacron.io', 'virtualmachines.simulation.node-classifier.io'],
    note: 'vm means VMs of kubevirt.io from now on, no longer of hypersdk.io (kubectl get virtualmachines.hypersdk.io).',
  },
  {
    what: 'KubeVirt itself',
    before: [foreign('kubevirt.io')],
    dialects: ['hypersdk'],
    group: 'kubevirt.io',
    note: 'vm still means VMs of kubevirt.io; --vm-short-name changes that. Use the full name: virtualmachines.hypersdk.io.',
  },
  {
    what: 'another product, against which the name was requested',
    before: [foreign('vmoperator.example.org')],
    dialects: ['hypersdk'],
    requested: 'hypersdk.io',
    group: 'hypersdk.io',
    note: 'vm is also a short name in vmoperator.example.org, which belongs to another product.',
  },
])('decides for $what', ({ before, dialects, requested, group, withheld = [], note }) => {
  const plan = planVmShortName(before, dialects, requested);
  expect(plan.group).toBe(group);
  expect(plan.withheld.map(({ object }) => object.metadata.name)).toEqual(withheld);
  if (note === undefined) expect(plan.notes).toEqual([]);
  else expect(plan.notes).toContain(note);
});
