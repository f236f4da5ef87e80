import { describe, expect, test } from 'vitest';
import { virtualMachine } from '#api/kubevirt/virtual-machine';
import { admissionTrial } from '#testing/admission-trial';
import { virtualMachineAdmitter } from './virtual-machine.ts';

const tryOut = admissionTrial(virtualMachineAdmitter);

const spec = structuredClone(virtualMachine.example.spec);

function machine(parts: object = {}, metadata: object = {}) {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default', ...metadata },
    spec: { ...spec, ...parts },
  };
}

test('the example of the kind is accepted in every served version', () => {
  for (const version of virtualMachine.versions) {
    const verdict = tryOut({ ...machine(), apiVersion: `kubevirt.io/${version}` });
    expect(verdict).toMatchObject({ causes: [], warnings: [], unknownFields: [] });
  }
});

test('nothing is filled in, so that what was applied is what is stored', () => {
  expect(tryOut(machine()).object.spec).toEqual(spec);
});

describe('when the machine runs', () => {
  const { runStrategy: _, ...neither } = spec;
  test.each([
    ['neither', neither, ['spec.runStrategy: Required value: One of Running or RunStrategy must be specified']],
    [
      'both',
      { ...spec, running: true },
      ['spec.running: Invalid value: Running and RunStrategy are mutually exclusive'],
    ],
    ['running alone', { ...neither, running: false }, []],
  ])('%s', (_, spec, causes) => {
    expect(tryOut({ ...machine(), spec }).causes).toEqual(causes);
  });
});

describe('what would make another machine of it is refused by name', () => {
  test.each([
    [
      { instancetype: { name: 'u1.small' } },
      'spec.instancetype: Forbidden: instance types are not supported yet: set cpu and memory in spec.template.spec.domain',
    ],
    [
      { preference: { kind: 'VirtualMachinePreference', name: 'fedora' } },
      'spec.preference: Forbidden: preferences are not supported yet: set the devices in spec.template.spec.domain',
    ],
    [
      { dataVolumeTemplates: [{ metadata: { name: 'root' }, spec: { source: { blank: {} }, storage: {} } }] },
      'spec.dataVolumeTemplates: Forbidden: data volumes are not supported yet: create the PersistentVolumeClaim and reference it in spec.template.spec.volumes',
    ],
  ])('%j', (parts, cause) => {
    expect(tryOut(machine(parts))).toMatchObject({ causes: [cause], warnings: [], unknownFields: [] });
  });

  test('an empty list of data volumes asks for none', () => {
    expect(tryOut(machine({ dataVolumeTemplates: [] })).causes).toEqual([]);
  });
});

test('causes of the template carry the path of the template, all at once', () => {
  const template = {
    metadata: { labels: { 'bad key': 'v', tier: 'no spaces' }, annotations: { 'a b': 'x' } },
    spec: { ...spec.template.spec, hostname: 'UPPER', domain: { devices: { disks: [{ name: 'lost' }] } } },
  };
  const { causes } = tryOut(machine({ template }, { name: 'x'.repeat(64) }));
  expect(causes.map((cause) => cause.split(': ', 1)[0])).toEqual([
    'metadata.name',
    'spec.template.metadata.labels',
    'spec.template.metadata.labels[tier]',
    'spec.template.metadata.annotations',
    'spec.template.spec.hostname',
    'spec.template.spec.networks[0].name',
    'spec.template.spec.domain.devices.disks[0].name',
  ]);
});

test('an unfinished template is admitted with warnings, as a stopped machine may have one', () => {
  const template = { spec: { domain: { devices: {} }, volumes: [{ name: 'root', emptyDisk: { capacity: '1Gi' } }] } };
  const { causes, warnings } = tryOut(machine({ template }));
  expect(causes).toEqual([]);
  expect(warnings).toEqual([
    expect.stringMatching(/^spec\.template\.spec\.domain\.memory\.guest: Required value: no memory requested/),
    'spec.template.spec.volumes[0].name: Invalid value: "root": no disk or filesystem has this name',
  ]);
});

describe('a disk that loses its volume', () => {
  const { spec: instance } = spec.template;
  const broken = machine({ template: { spec: { ...instance, volumes: [] } } });

  test('is refused when the volume is taken away', () => {
    expect(tryOut(broken, machine()).causes).toEqual([
      'spec.template.spec.domain.devices.disks[0].name: Not found: "root"',
    ]);
  });

  test('is only warned of when it was stored so', () => {
    const { causes, warnings } = tryOut({ ...broken, spec: { ...broken.spec, runStrategy: 'Halted' } }, broken);
    expect(causes).toEqual([]);
    expect(warnings).toEqual([
      'spec.template.spec.domain.devices.disks[0].name: Not found: "root": no volume has this name; the VM cannot start without it',
    ]);
  });
});

describe('writes that are not about the spec', () => {
  const bad = machine({ instancetype: { name: 'x' } });
  const request = { object: bad as never, user: { name: 'u', groups: [] }, lookup: () => undefined };

  test.each([
    ['a deletion', { ...request, operation: 'DELETE' as const }],
    ['a status', { ...request, operation: 'UPDATE' as const, subresource: 'status' }],
    [
      'the last steps of a machine that is being deleted',
      {
        ...request,
        operation: 'UPDATE' as const,
        object: { ...bad, metadata: { ...bad.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } } as never,
      },
    ],
  ])('%s has nothing to fear from a spec that would be refused today', (_, write) => {
    expect(virtualMachineAdmitter.validate(write)).toEqual({ causes: [], warnings: [] });
  });

  test('an update of the same spec is refused, so the cases above mean something', () => {
    expect(virtualMachineAdmitter.validate({ ...request, operation: 'UPDATE' }).causes).toHaveLength(1);
  });
});
