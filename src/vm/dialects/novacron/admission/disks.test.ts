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

describe('a disk that a machine has', () => {
  test.each<[string, object, object, string[]]>([
    [
      'does not shrink',
      root('30Gi'),
      root('10Gi'),
      [`${AT}.resources.disk: Forbidden: a disk cannot shrink: root has 30Gi, not 10Gi`],
    ],
    [
      'does not shrink below the usual size either, where nobody said one',
      root(),
      root('5Gi'),
      [`${AT}.resources.disk: Forbidden: a disk cannot shrink: root has 10Gi, not 5Gi`],
    ],
    [
      'does not shrink as a further volume',
      volume({}),
      volume({ size: '10Gi' }),
      [`${AT}.volumes[0].size: Forbidden: a disk cannot shrink: data has 20Gi, not 10Gi`],
    ],
    [
      'stays in its class',
      volume({ storageClass: 'slow' }),
      volume({ storageClass: 'fast' }),
      [
        `${AT}.volumes[0].storageClass: Forbidden: storageClass of an existing disk cannot be changed: add a disk of the other class instead`,
      ],
    ],
    [
      'is mounted as it was',
      volume({}),
      volume({ accessMode: 'ReadWriteMany' }),
      [
        `${AT}.volumes[0].accessMode: Forbidden: accessMode of an existing disk cannot be changed: add a disk of the other mode instead`,
      ],
    ],
    ['may grow', root('10Gi'), root('30Gi'), []],
    ['may have no size of its own any more', root('30Gi'), root(), []],
    [
      'may have any size that is said of a copy for the first time',
      root(undefined, { source: 'pvc://shop/tiny' }),
      root('1Gi', { source: 'pvc://shop/tiny' }),
      [],
    ],
    ['may go, and another come', volume({}), machine({ volumes: [{ name: 'other', size: '1Gi' }] }), []],
  ])('%s', (_what, before, after, causes) => {
    expect(trial(after, before).causes).toEqual(causes);
  });

  test('may be asked for what it has, where it never got more', () => {
    const requested = (disk: string) => trial(root(disk)).object;
    const old = { ...requested('20Gi'), status: { smallDisks: [{ name: 'root', size: '10Gi' }] } };
    expect(validateDiskChange(requested('10Gi'), old)).toEqual([]);
    expect(validateDiskChange(requested('9Gi'), old).map(formatFieldError)).toEqual([
      `${AT}.resources.disk: Forbidden: a disk cannot shrink: root has 10Gi, not 9Gi`,
    ]);
  });
});

test('a volume does not take the place of the disk with the image', () => {
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
    'memory beyond count',
    machine({ resources: { cpu: 1, memory: '100Ei' } }),
    `${AT}.resources.memory: Invalid value: "100Ei": must be less than 8Ei`,
  ],
  ['a disk of less than a byte', root('1m'), `${AT}.resources.disk: Invalid value: "1m": must be at least one byte`],
])('%s that can never be had is refused by name', (_what, object, cause) => {
  expect(trial(object).causes).toEqual([expect.stringContaining(cause)]);
});

describe('labels by which machines are found', () => {
  const names = ['vm', 'hypersdk.io/vm', 'novacron.io/vm', 'kubevirt.io', 'kubevirt.io/domain', 'vm.kubevirt.io/name'];
  test.each(names)('%s is not for a template to give', (name) => {
    const thief = machine({}, {}, { [name]: 'victim' });
    expect(trial(thief).causes).toEqual([
      `spec.template.metadata.labels[${name}]: Forbidden: is reserved: it is set on every VM to select it; use another name`,
    ]);
    expect(trial(thief, thief).causes).toEqual([]);
  });

  test('leave all others to it', () => {
    expect(trial(machine({}, {}, { app: 'web', 'example.com/vm': 'a' })).causes).toEqual([]);
  });
});

describe('a warning tells', () => {
  test('that another image does not change the disk', () => {
    const other = machine({ image: { source: 'marketplace://debian-13' } });
    expect(trial(other, machine())).toMatchObject({
      causes: [],
      warnings: [`${AT}.image.source only applies to new disks: the existing disk of this VM does not change`],
    });
    expect(trial(machine(), machine()).warnings).toEqual([]);
  });

  test('that words of another group keep no disks', () => {
    const annotated = machine({}, { annotations: { 'hypersdk.io/retain-disks': 'true' } });
    const warnings = [
      'metadata.annotations[hypersdk.io/retain-disks] is ignored: VMs of this group use novacron.io/retain-disks',
    ];
    expect(trial(annotated)).toMatchObject({ causes: [], warnings });
    expect(trial(annotated, annotated).warnings).toEqual([]);
  });
});
