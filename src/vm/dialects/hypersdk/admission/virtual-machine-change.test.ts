import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { virtualMachine } from '#api/hypersdk/virtual-machine';
import { formatFieldError } from '#platform/base/field-error';
import { admissionTrial } from '#testing/admission-trial';
import { validateGrowth } from '#vm/admission/disk-growth';
import { sizedDisks } from './disks.ts';
import { virtualMachineAdmitter } from './virtual-machine.ts';

const trial = admissionTrial(virtualMachineAdmitter);
const image = { source: 'https://images.example.org/debian.qcow2' };

function machine(spec: object, name = 'web') {
  const { apiVersion, kind } = virtualMachine;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: 'default' },
    spec: { cpus: 2, memory: '4Gi', image, ...spec },
  };
}
const disk = (fields: object) => machine({ disks: [{ name: 'root', size: '10Gi', ...fields }] });
const network = (fields: object) => machine({ networks: [{ name: 'net', type: 'bridge', ...fields }] });

describe('a change', () => {
  const sized = (size: string | number, storageClass?: string) =>
    disk({ size, ...(storageClass === undefined ? {} : { storageClass }) });

  test('may not shrink a disk, in any unit', () => {
    expect(trial(sized('9Gi'), sized('10Gi')).causes).toEqual([
      'spec.disks[0].size: Forbidden: a disk cannot shrink: root has 10Gi, not 9Gi',
    ]);
    expect(trial(sized('10G'), sized('10Gi')).causes).toHaveLength(1);
    expect(trial(sized('10240Mi'), sized('10Gi')).causes).toEqual([]);
  });

  test('of a disk size is admitted exactly when it does not shrink', () => {
    const size = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(size, size, (before, after) => {
        const rejected = trial(sized(`${after}Mi`), sized(`${before}Mi`)).causes.length > 0;
        expect(rejected).toBe(after < before);
      }),
    );
  });

  test('may restore the size of a disk that never grew', () => {
    const root = (size: string) => [{ name: 'root', size, storageClass: 'standard', type: 'disk' as const }];
    const small = [{ name: 'root', size: '10Gi' }];
    expect(validateGrowth(sizedDisks('spec.disks', root('10Gi')), root('20Gi'), small)).toEqual([]);
    expect(validateGrowth(sizedDisks('spec.disks', root('9Gi')), root('20Gi'), small).map(formatFieldError)).toEqual([
      'spec.disks[0].size: Forbidden: a disk cannot shrink: root has 10Gi, not 9Gi',
    ]);
  });

  test('of other fields is not rejected because of older annotations that are no longer allowed', () => {
    const labelled = (cpus: number, vm: string) => machine({ cpus, labels: { vm } });
    expect(trial(labelled(4, 'other'), labelled(2, 'other')).causes).toEqual([]);
    expect(trial(labelled(2, 'another'), labelled(2, 'other')).causes).toHaveLength(1);
  });

  test('identifies disks by name, not by position', () => {
    const two = (a: string, b: string, flip = false) => {
      const disks = [
        { name: 'a', size: a },
        { name: 'b', size: b },
      ];
      return machine({ disks: flip ? disks.reverse() : disks });
    };
    expect(trial(two('10Gi', '1Gi', true), two('10Gi', '1Gi')).causes).toEqual([]);
    expect(trial(machine({ disks: [{ name: 'new', size: '1Gi' }] }), two('10Gi', '1Gi')).causes).toEqual([]);
  });

  test('may not move a disk to another storage class', () => {
    expect(trial(sized('10Gi', 'fast'), sized('10Gi', 'slow')).causes).toEqual([
      'spec.disks[0].storageClass: Forbidden: storageClass of an existing disk cannot be changed: add a disk of the other class instead',
    ]);
  });

  test('of the status, or of a terminating VM, is not rejected for its spec', () => {
    const bad = trial(machine({ memory: '0Gi' })).object;
    const request = {
      operation: 'UPDATE',
      old: bad,
      user: { name: 'tester', groups: [] },
      lookup: () => undefined,
    } as const;
    const going = { ...bad, metadata: { ...bad.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
    const validate = (more: object) =>
      virtualMachineAdmitter.validate({ ...request, object: bad, ...more }).causes.map(formatFieldError);
    expect(validate({})).toHaveLength(1);
    expect(validate({ subresource: 'status' })).toEqual([]);
    expect(validate({ object: going })).toEqual([]);
    expect(validate({ operation: 'DELETE' })).toEqual([]);
  });
});

describe('a VM gets a warning', () => {
  test.each<[string, object, string[]]>([
    [
      'a missing boot disk',
      machine({ image: {} }),
      ['spec has neither an image nor a disk with a source: the VM has nothing to boot from'],
    ],
    [
      'a checksum beside a template',
      machine({ image: { templateRef: { name: 'debian' }, checksum: { type: 'md5', value: '0'.repeat(32) } } }),
      ['spec.image.checksum is ignored: the checksum of the template is used'],
    ],
    [
      'a Multus name on a bridge',
      network({ multusNetworkName: 'vlan' }),
      ['spec.networks[0].multusNetworkName is ignored: the network is of type bridge'],
    ],
  ])('because of %s, but is not rejected', (_what, object, warnings) => {
    expect(trial(object)).toMatchObject({ causes: [], warnings });
  });
});

test('a new image gets a warning, because it does not change existing disks', () => {
  const other = machine({ image: { source: 'https://images.example.org/other.qcow2' } });
  expect(trial(other, machine({}))).toMatchObject({
    causes: [],
    warnings: ['spec.image.source only applies to new disks: the existing disk of this VM does not change'],
  });
});

test('annotations of another group get a warning, because they retain no disks', () => {
  const { metadata, ...rest } = machine({});
  const annotated = { ...rest, metadata: { ...metadata, annotations: { 'novacron.io/retain-disks': 'true' } } };
  expect(trial(annotated).warnings).toEqual([
    'metadata.annotations[novacron.io/retain-disks] is ignored: VMs of this group use hypersdk.io/retain-disks',
  ]);
});

test('a status with all fields is accepted', () => {
  const status = {
    observedGeneration: 2,
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '2030-01-01T00:00:00Z' },
      { type: 'CarbonAware', status: 'False', reason: 'WaitingForGreenEnergy', message: '210 of 150 gCO2/kWh' },
    ],
    guestAgent: { connected: true, version: '8.0', hostname: 'web' },
    ipAddresses: ['10.0.0.7', 'fd00::7'],
    nodeName: 'worker-1',
    resources: { cpu: { usage: '45%', requests: 2 }, memory: { usage: '3100Mi', requests: '4Gi' } },
    qemuPid: 4711,
    vnc: { port: 5900, enabled: true },
    creationTimestamp: '2030-01-01T00:00:00Z',
    startTime: '2030-01-01T00:00:05Z',
    carbonIntensity: 118.5,
    restartCount: 1,
  };
  const { causes, unknownFields, object } = trial({ ...machine({}), status }, machine({}), 'status');
  expect([causes, unknownFields, object.status]).toEqual([[], [], status]);
});

test('every unicast MAC address is accepted, in either notation', () => {
  const pair = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(pair, pair, pair, pair, pair, pair), fc.constantFrom(':', '-'), (octets, separator) => {
      const unicast = [octets[0] & 0xfe, ...octets.slice(1, 5), octets[5] | 1];
      const macAddress = unicast.map((octet) => octet.toString(16).padStart(2, '0')).join(separator);
      expect(trial(network({ macAddress })).causes).toEqual([]);
    }),
  );
});
