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

test('no defaults are set, so that the stored object equals the applied one', () => {
  expect(tryOut(machine()).object.spec).toEqual(spec);
});

describe('runStrategy and running', () => {
  const { runStrategy: _, ...neither } = spec;
  test.each([
    ['may not both be missing', neither, ['spec.running: Invalid value: RunStrategy must be specified']],
    [
      'may not both be set',
      { ...spec, running: true },
      [
        'spec.running: Invalid value: Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead',
      ],
    ],
    ['may be running alone', { ...neither, running: false }, []],
  ])('%s', (_, spec, causes) => {
    expect(tryOut({ ...machine(), spec }).causes).toEqual(causes);
  });

  test.each([true, false])('running: %s is accepted with the warning of KubeVirt', (running) => {
    const { causes, warnings } = tryOut({ ...machine(), spec: { ...neither, running } });
    expect(causes).toEqual([]);
    expect(warnings).toEqual(['spec.running is deprecated, please use spec.runStrategy instead.']);
    expect(tryOut(machine()).warnings).toEqual([]);
  });
});

test.each([
  [63, []],
  [64, [`metadata.name: Invalid value: "${'a'.repeat(64)}": must be no more than 63 characters`]],
])('a new name may have 63 characters: %d', (length, causes) => {
  expect(tryOut(machine({}, { name: 'a'.repeat(length) })).causes).toEqual(causes);
});

describe('fields whose omission would result in a different VM are rejected by name', () => {
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

  test('an empty list of data volumes requests none', () => {
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

test('an incomplete template is admitted with warnings, because a stopped VM may have one', () => {
  const template = { spec: { domain: { devices: {} }, volumes: [{ name: 'root', emptyDisk: { capacity: '1Gi' } }] } };
  const { causes, warnings } = tryOut(machine({ template }));
  expect(causes).toEqual([]);
  expect(warnings).toEqual([
    expect.stringMatching(/^spec\.template\.spec\.domain\.memory\.guest: Required value: no memory requested/),
    'spec.template.spec.volumes[0].name: Invalid value: "root": no disk or filesystem has this name',
  ]);
});

test('a disk of a few bytes, which KubeVirt accepts, gets a warning', () => {
  const { spec: instance } = spec.template;
  const volumes = [{ name: 'root', emptyDisk: { capacity: '50' } }];
  const { causes, warnings } = tryOut(machine({ template: { spec: { ...instance, volumes } } }));
  expect(causes).toEqual([]);
  expect(warnings).toEqual([
    'spec.template.spec.volumes[0].emptyDisk.capacity: 50 is less than 1M: 50 without a suffix is 50 bytes; did you mean 50Gi?',
  ]);
});

describe('a disk that loses its volume', () => {
  const { spec: instance } = spec.template;
  const broken = machine({ template: { spec: { ...instance, volumes: [] } } });

  test('is rejected when the volume is deleted', () => {
    expect(tryOut(broken, machine()).causes).toEqual([
      'spec.template.spec.domain.devices.disks[0].name: Not found: "root"',
    ]);
  });

  test('gets only a warning if it was stored before', () => {
    const { causes, warnings } = tryOut({ ...broken, spec: { ...broken.spec, runStrategy: 'Halted' } }, broken);
    expect(causes).toEqual([]);
    expect(warnings).toEqual([
      'spec.template.spec.domain.devices.disks[0].name: Not found: "root": no volume has this name; the VM cannot start without it',
    ]);
  });
});

describe('a write that does not change the spec', () => {
  const bad = machine({ instancetype: { name: 'x' } });
  const request = { object: bad as never, user: { name: 'u', groups: [] }, lookup: () => undefined };

  test.each([
    ['a deletion', { ...request, operation: 'DELETE' as const }],
    ['a status update', { ...request, operation: 'UPDATE' as const, subresource: 'status' }],
    [
      'an update of a terminating VM',
      {
        ...request,
        operation: 'UPDATE' as const,
        object: { ...bad, metadata: { ...bad.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } } as never,
      },
    ],
  ])('such as %s is accepted despite a spec that would be rejected today', (_, write) => {
    expect(virtualMachineAdmitter.validate(write)).toEqual({ causes: [], warnings: [] });
  });

  test('with the same invalid spec would be rejected as an update', () => {
    expect(virtualMachineAdmitter.validate({ ...request, operation: 'UPDATE' }).causes).toHaveLength(1);
  });
});
