import { describe, expect, test } from 'vitest';
import { virtualMachine } from '#api/novacron/virtual-machine';
import { formatFieldError } from '#platform/base/field-error';
import { admissionTrial } from '#testing/admission-trial';
import { validateDiskChange } from './disks.ts';
import { virtualMachineAdmitter } from './virtual-machine.ts';

const trial = admissionTrial(virtualMachineAdmitter);
const { apiVersion, kind } = virtualMachine;
const AT = 'spec.template.spec';
const debian = { source: 'marketplace://debian-12' };

function machine(spec: object = {}, metadata: object = {}, labels: Record<string, string> = {}) {
  const template = { metadata: { labels }, spec: { resources: { cpu: 2, memory: '4Gi' }, image: debian, ...spec } };
  return { apiVersion, kind, metadata: { name: 'web', namespace: 'shop', ...metadata }, spec: { template } };
}
const root = (disk?: string, image: object = debian) =>
  machine({ image, resources: { cpu: 2, memory: '4Gi', ...(disk === undefined ? {} : { disk }) } });
const volume = (fields: object) => machine({ volumes: [{ name: 'data', size: '20Gi', ...fields }] });

describe('an existing disk of a VM', () => {
  test.each<[string, object, object, string[]]>([
    [
      'cannot shrink',
      root('30Gi'),
      root('10Gi'),
      [`${AT}.resources.disk: Forbidden: a disk cannot shrink: root has 30Gi, not 10Gi`],
    ],
    [
      'cannot shrink below the default size if none was set',
      root(),
      root('5Gi'),
      [`${AT}.resources.disk: Forbidden: a disk cannot shrink: root has 10Gi, not 5Gi`],
    ],
    [
      'cannot shrink as an additional volume',
      volume({}),
      volume({ size: '10Gi' }),
      [`${AT}.volumes[0].size: Forbidden: a disk cannot shrink: data has 20Gi, not 10Gi`],
    ],
    [
      'cannot change its class',
      volume({ storageClass: 'slow' }),
      volume({ storageClass: 'fast' }),
      [
        `${AT}.volumes[0].storageClass: Forbidden: storageClass of an existing disk cannot be changed: add a disk of the other class instead`,
      ],
    ],
    [
      'cannot change its access modes',
      volume({}),
      volume({ accessMode: 'ReadWriteMany' }),
      [
        `${AT}.volumes[0].accessMode: Forbidden: accessMode of an existing disk cannot be changed: add a disk of the other mode instead`,
      ],
    ],
    ['can grow', root('10Gi'), root('30Gi'), []],
    ['can omit its size', root('30Gi'), root(), []],
    [
      'can set any size of a copy for the first time',
      root(undefined, { source: 'pvc://shop/tiny' }),
      root('1Gi', { source: 'pvc://shop/tiny' }),
      [],
    ],
    ['can be replaced by another', volume({}), machine({ volumes: [{ name: 'other', size: '1Gi' }] }), []],
  ])('%s', (_what, before, after, causes) => {
    expect(trial(after, before).causes).toEqual(causes);
  });

  test('may be requested with its actual size if it never grew', () => {
    const requested = (disk: string) => trial(root(disk)).object;
    const old = { ...requested('20Gi'), status: { smallDisks: [{ name: 'root', size: '10Gi' }] } };
    expect(validateDiskChange(requested('10Gi'), old)).toEqual([]);
    expect(validateDiskChange(requested('9Gi'), old).map(formatFieldError)).toEqual([
      `${AT}.resources.disk: Forbidden: a disk cannot shrink: root has 10Gi, not 9Gi`,
    ]);
  });
});

test('a volume cannot replace the disk with the image', () => {
  const taken = machine({ volumes: [{ name: 'root', size: '1Gi' }] });
  expect(trial(taken).causes).toEqual([
    `${AT}.volumes[0].name: Forbidden: root is reserved for the disk with the image: use another name`,
  ]);
  expect(trial(taken, taken).causes).toEqual([]);
});

test.each<[string, object, string]>([
  ['a class', volume({ storageClass: 'Bad Class' }), `${AT}.volumes[0].storageClass: Invalid value: "Bad Class"`],
  ['a network', machine({ networks: [{ name: 'Bad/Net x' }] }), `${AT}.networks[0].name: Invalid value: "Bad/Net x"`],
  [
    'too much memory',
    machine({ resources: { cpu: 1, memory: '100Ei' } }),
    `${AT}.resources.memory: Invalid value: "100Ei": must be less than 8Ei`,
  ],
  [
    'a disk of less than a byte',
    root('1m'),
    `${AT}.resources.disk: Invalid value: "1m": must be greater than or equal to 1M`,
  ],
])('%s is rejected by name because it can never be provided', (_what, object, cause) => {
  expect(trial(object).causes).toEqual([expect.stringContaining(cause)]);
});

describe('the labels that VMs are found by', () => {
  const names = ['vm', 'hypersdk.io/vm', 'novacron.io/vm', 'kubevirt.io', 'kubevirt.io/domain', 'vm.kubevirt.io/name'];
  test.each(names)('may not be set by a template: %s', (name) => {
    const thief = machine({}, {}, { [name]: 'victim' });
    expect(trial(thief).causes).toEqual([
      `spec.template.metadata.labels[${name}]: Forbidden: is reserved: it is set on every VM to select it; use another name`,
    ]);
    expect(trial(thief, thief).causes).toEqual([]);
  });

  test('do not restrict other labels', () => {
    expect(trial(machine({}, {}, { app: 'web', 'example.com/vm': 'a' })).causes).toEqual([]);
  });
});

describe('a warning reports', () => {
  test('that another image does not change the disk', () => {
    const other = machine({ image: { source: 'marketplace://debian-13' } });
    expect(trial(other, machine())).toMatchObject({
      causes: [],
      warnings: [`${AT}.image.source only applies to new disks: the existing disk of this VM does not change`],
    });
    expect(trial(machine(), machine()).warnings).toEqual([]);
  });

  test('that annotations of another group retain no disks', () => {
    const annotated = machine({}, { annotations: { 'hypersdk.io/retain-disks': 'true' } });
    const warnings = [
      'metadata.annotations[hypersdk.io/retain-disks] is ignored: VMs of this group use novacron.io/retain-disks',
    ];
    expect(trial(annotated)).toMatchObject({ causes: [], warnings });
    expect(trial(annotated, annotated).warnings).toEqual([]);
  });
});
