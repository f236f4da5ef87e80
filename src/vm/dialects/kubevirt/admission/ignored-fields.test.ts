import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { virtualMachine } from '#api/kubevirt/virtual-machine';
import { readManifest } from '#platform/kube/manifest';
import { ignoredFields } from './ignored-fields.ts';

const schema = virtualMachine.schema.properties?.['spec'] ?? {};
const find = ignoredFields(schema, 'spec');

function specOf(file: string): object {
  const text = readFileSync(new URL(`../../../../../${file}`, import.meta.url), 'utf8');
  const [first] = readManifest(text).documents;
  return (first?.object as { spec: object } | undefined)?.spec ?? {};
}

test('an ignored field is named once, without its subfields', () => {
  const domain = { devices: { sound: { name: 'a', model: 'ich9' } }, cpu: { numa: { guestMappingPassthrough: {} } } };
  expect(find({ template: { spec: { domain } } })).toEqual([
    'spec.template.spec.domain.devices.sound',
    'spec.template.spec.domain.cpu.numa',
  ]);
});

test('fields that are omitted on purpose are not named', () => {
  const spec = { instancetype: { name: 'x' }, updateVolumesStrategy: 'Migration' };
  expect(find(spec)).toEqual(['spec.instancetype', 'spec.updateVolumesStrategy']);
  expect(ignoredFields(schema, 'spec', ['instancetype'])(spec)).toEqual(['spec.updateVolumesStrategy']);
});

test('a value of any shape does not throw', () => {
  for (const odd of [null, undefined, 1, 'x', [], { template: [] }, { template: { spec: { volumes: [null, 3] } } }]) {
    expect(find(odd)).toEqual([]);
  }
});

test('a typical VM has none', () => {
  expect(find(specOf('examples/kubevirt/vm-running.yaml'))).toEqual([]);
});
