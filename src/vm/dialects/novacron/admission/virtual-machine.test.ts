import { describe, expect, test } from 'vitest';
import { virtualMachine } from '#api/novacron/virtual-machine';
import { formatFieldError } from '#platform/base/field-error';
import { compileSchema } from '#platform/structural/structural-schema';
import { admission } from '#vm/admission/admit';
import { virtualMachineAdmitter } from './virtual-machine.ts';
import { trial } from './well-formed.fixture.ts';

const resources = { cpu: 2, memory: '4Gi' };
const image = { source: 'marketplace://debian-12' };

function raw(spec: object, name = 'web') {
  const { apiVersion, kind } = virtualMachine;
  return { apiVersion, kind, metadata: { name, namespace: 'default' }, spec };
}
const machine = (spec: object, more: object = {}) =>
  raw({ template: { spec: { resources, image, ...spec } }, ...more });
const source = (text: string) => machine({ image: { source: text } });

const AT = 'spec.template.spec';
const CPU = 'CPU must be at least 1';
const MEMORY = 'Memory must be at least 512Mi';
const IMAGE = 'Image source is required';

test('a VM gets every default and nothing else', () => {
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {} }] } };
  const volumes = [{ name: 'data', size: '1Gi' }];
  const { object, causes, warnings } = trial(
    machine({ networks: [{ name: 'a', ipv4: {} }], volumes, devices: [{ type: 'gpu' }], affinity }),
  );
  expect([...causes, ...warnings]).toEqual([]);
  expect(object.spec).toEqual({
    running: true,
    migrationPolicy: { allowLiveMigration: true, compression: true, encrypted: false },
    updateStrategy: { type: 'RollingUpdate' },
    template: {
      spec: {
        resources,
        image,
        networks: [{ name: 'a', ipv4: { method: 'dhcp' } }],
        volumes: [{ name: 'data', size: '1Gi', accessMode: 'ReadWriteOnce' }],
        devices: [{ type: 'gpu', count: 1 }],
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { labelSelector: {}, topologyKey: 'kubernetes.io/hostname' },
            ],
          },
        },
      },
    },
  });
});

test('a partial policy keeps the defaults of its absent fields', () => {
  const { object } = trial(machine({}, { migrationPolicy: { encrypted: true }, updateStrategy: { type: 'Recreate' } }));
  expect(object.spec.migrationPolicy).toEqual({ allowLiveMigration: true, compression: true, encrypted: true });
  expect(object.spec.updateStrategy).toEqual({ type: 'Recreate' });
});

describe('a missing size or image is reported with the message of the webhook:', () => {
  const missing = [
    `${AT}.resources.cpu: Required value: ${CPU}`,
    `${AT}.resources.memory: Required value: ${MEMORY}`,
    `${AT}.image.source: Required value: ${IMAGE}`,
  ];
  test.each<[string, object]>([
    ['an empty spec', raw({})],
    ['an empty template', raw({ template: {} })],
    ['an empty VM', raw({ template: { spec: {} } })],
    ['empty fields', raw({ template: { spec: { resources: {}, image: {} } } })],
    ['the size in an unknown field', raw({ resources: { cpu: 2, memory: '4Gi' } })],
  ])('%s', (_what, object) => {
    expect(trial(object).causes.toSorted()).toEqual(missing.toSorted());
  });

  test.each<[string, object, string[]]>([
    ['zero CPUs', machine({ resources: { cpu: 0, memory: '1Gi' } }), [`${AT}.resources.cpu: Invalid value: 0: ${CPU}`]],
    [
      'a negative number of CPUs',
      machine({ resources: { cpu: -2, memory: '1Gi' } }),
      [`${AT}.resources.cpu: Invalid value: -2: ${CPU}`],
    ],
    [
      'too little memory',
      machine({ resources: { cpu: 1, memory: '511Mi' } }),
      [`${AT}.resources.memory: Invalid value: "511Mi": ${MEMORY}`],
    ],
    [
      'one byte too little',
      machine({ resources: { cpu: 1, memory: 536870911 } }),
      [`${AT}.resources.memory: Invalid value: 536870911: ${MEMORY}`],
    ],
    ['an empty source', source(''), [`${AT}.image.source: Required value: ${IMAGE}`]],
  ])('%s', (_what, object, causes) => {
    expect(trial(object).causes).toEqual(causes);
  });

  test('even if other errors prevent the evaluation of schema rules', () => {
    const { causes } = trial(raw({ running: 'yes', template: { spec: { resources: { cpu: 0 } } } }));
    expect(causes).toEqual(
      expect.arrayContaining([
        `${AT}.resources.cpu: Invalid value: 0: ${CPU}`,
        `${AT}.resources.memory: Required value: ${MEMORY}`,
        `${AT}.image.source: Required value: ${IMAGE}`,
      ]),
    );
  });

  test('by the schema alone on a cluster without our webhook', () => {
    const schema = compileSchema(virtualMachine.schema);
    const reported = (object: object) => {
      schema.applyDefaults(object);
      return schema.validate(object).map(formatFieldError).toSorted();
    };
    expect(reported(raw({}))).toEqual(missing.toSorted());
    expect(
      reported(raw({ template: { spec: { resources: { cpu: 0, memory: '511Mi' }, image: { source: '' } } } })),
    ).toEqual([
      `${AT}.image.source: Required value: ${IMAGE}`,
      `${AT}.resources.cpu: Invalid value: 0: ${CPU}`,
      `${AT}.resources.memory: Invalid value: "511Mi": ${MEMORY}`,
    ]);
    expect(reported(machine({ resources: { cpu: 1, memory: 536870911 } }))).toEqual([
      `${AT}.resources.memory: Invalid value: 536870911: ${MEMORY}`,
    ]);
    expect(reported(machine({ resources: { cpu: 1, memory: '512Mi' } }))).toEqual([]);
  });

  test.each(['512Mi', '0.5Gi', 536870912, '536870912', '524288Ki', '537M', '1e9'])('memory may be %s', (memory) => {
    expect(trial(machine({ resources: { cpu: 1, memory } })).causes).toEqual([]);
  });
});

describe('an image', () => {
  test.each([
    'marketplace://ubuntu-22.04-lts',
    'marketplace://team/debian:12',
    'http://images.example.com/ubuntu.qcow2',
    'https://images.example.com:8443/a/b.img?version=3',
    's3://bucket/path/to/image.vmdk',
    'pvc://namespace/pvc-name',
  ])('may come from %s', (text) => {
    expect(trial(source(text)).causes).toEqual([]);
  });

  const SCHEME = 'must begin with marketplace://, http://, https://, s3:// or pvc://';
  const URL = 'must be a URL with a host and the path of an image, such as https://images.example.com/debian.qcow2';
  test.each([
    ['ubuntu-22.04', SCHEME],
    ['ftp://host/disk.img', SCHEME],
    ['constructor://x', SCHEME],
    ['marketplace://', 'must be marketplace:// and the name of an image, such as marketplace://debian-12'],
    ['marketplace://a b', 'must be marketplace:// and the name of an image, such as marketplace://debian-12'],
    ['https://', URL],
    ['http://images.example.com', URL],
    ['s3://bucket', 'must be s3://bucket/key'],
    ['s3://Bucket/key', 'must be s3://bucket/key'],
    ['pvc://claim', 'must be pvc://namespace/claim'],
    ['pvc://ns/claim/more', 'must be pvc://namespace/claim'],
    ['pvc://NS/claim', 'must be pvc://namespace/claim'],
  ])('may not come from %s', (text, detail) => {
    expect(trial(source(text)).causes).toEqual([`${AT}.image.source: Invalid value: "${text}": ${detail}`]);
  });
});

describe('other errors contain the field and a remedy:', () => {
  const hook = (preStop: object) => machine({ lifecycle: { preStop } });
  const HOOK = `${AT}.lifecycle.preStop`;
  const exec = { command: ['/bin/true'] };

  test.each<[string, object, string[]]>([
    [
      'a disk of size 0',
      machine({ volumes: [{ name: 'data', size: '0' }] }),
      [`${AT}.volumes[0].size: Invalid value: "0": must be greater than zero`],
    ],
    [
      'a root disk of size 0',
      machine({ resources: { ...resources, disk: '-1Gi' } }),
      [`${AT}.resources.disk: Invalid value: "-1Gi": must be greater than zero`],
    ],
    [
      'an unknown access mode',
      machine({ volumes: [{ name: 'd', size: '1Gi', accessMode: 'Some' }] }),
      [
        `${AT}.volumes[0].accessMode: Unsupported value: "Some": supported values: "ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"`,
        '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      ],
    ],
    [
      'a duplicate disk name',
      machine({ volumes: ['1Gi', '2Gi'].map((size) => ({ name: 'd', size })) }),
      [`${AT}.volumes[1]: Duplicate value: {"name":"d"}`],
    ],
    [
      'a device without a type',
      machine({ devices: [{ type: 'gpu', count: 0 }] }),
      [`${AT}.devices[0].count: Invalid value: 0: ${AT}.devices[0].count in body should be greater than or equal to 1`],
    ],
    [
      'too much user data',
      machine({ userData: `#cloud-config\n${'é'.repeat(40_000)}` }),
      [`${AT}.userData: Too long: may not be more than 65536 bytes`],
    ],
    ['a hook without an action', hook({}), [`${HOOK}: Invalid value: a hook has exactly one of exec and httpGet`]],
    [
      'a hook with two actions',
      hook({ exec, httpGet: { port: 80 } }),
      [`${HOOK}: Invalid value: a hook has exactly one of exec and httpGet`],
    ],
    [
      'two timeouts',
      hook({ exec: { ...exec, timeoutSeconds: 3 }, timeoutSeconds: 4 }),
      [`${HOOK}.timeoutSeconds: Invalid value: differs from exec.timeoutSeconds; set only one of them`],
    ],
    [
      'a port out of range',
      hook({ httpGet: { port: 70_000 } }),
      [`${HOOK}.httpGet.port: Invalid value: 70000: must be a number from 1 to 65535 or the name of a port`],
    ],
    [
      'a bandwidth of 0',
      machine({}, { migrationPolicy: { bandwidth: '0bps' } }),
      [
        'spec.migrationPolicy.bandwidth: Invalid value: "0bps": spec.migrationPolicy.bandwidth in body should match \'^[1-9][0-9]*[KMGT]?bps$\'',
      ],
    ],
    [
      'a schedule with seconds',
      machine({}, { snapshotPolicy: { schedule: '0 0 2 * * *' } }),
      [
        'spec.snapshotPolicy.schedule: Invalid value: "0 0 2 * * *": must be a cron expression of five fields: invalid schedule "0 0 2 * * *": expected 5 fields, found 6; seconds are not supported',
      ],
    ],
    [
      'snapshots with a retention of 0',
      machine({}, { snapshotPolicy: { schedule: '@daily', retention: 0 } }),
      [
        'spec.snapshotPolicy.retention: Invalid value: 0: spec.snapshotPolicy.retention in body should be greater than or equal to 1',
      ],
    ],
    [
      'limits of a rolling update with another strategy',
      machine({}, { updateStrategy: { type: 'Recreate', rollingUpdate: {} } }),
      ['spec.updateStrategy.rollingUpdate: Forbidden: may only be set with type RollingUpdate'],
    ],
    [
      'a negative number of unavailable VMs',
      machine({}, { updateStrategy: { rollingUpdate: { maxUnavailable: -1 } } }),
      ['spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be 0 or more, or a percentage'],
    ],
    [
      'an invalid toleration',
      machine({ tolerations: [{}] }),
      [
        `${AT}.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when \`key\` is empty, which means "match all values and all keys"`,
      ],
    ],
    [
      'a name that is too long for a label',
      { ...machine({}), metadata: { name: 'x'.repeat(64), namespace: 'default' } },
      ['metadata.name: Too long: may not be more than 63 bytes'],
    ],
  ])('%s', (_what, object, causes) => {
    expect(trial(object).causes).toEqual(causes);
  });

  test.each([{ exec: { ...exec, timeoutSeconds: 3 } }, { exec, timeoutSeconds: 3 }, { httpGet: { port: 'http' } }])(
    'a hook may be %j',
    (preStop) => {
      expect(trial(hook(preStop)).causes).toEqual([]);
    },
  );

  test('user data that cloud-init does not support gets a warning', () => {
    expect(trial(machine({ userData: 'hostname: x' })).warnings).toHaveLength(1);
    expect(trial(machine({ userData: '#!/bin/sh\ntrue' })).warnings).toEqual([]);
  });
});

test('status and deletion are accepted despite a spec that would be rejected today', () => {
  const admit = admission(virtualMachineAdmitter);
  const sound = trial(machine({})).object;
  const broken = { ...sound, spec: { ...sound.spec, snapshotPolicy: { schedule: 'never', retention: 1 } } };
  const request = { user: { name: 'tester', groups: [] }, lookup: () => undefined, old: broken };
  const write = { ...request, operation: 'UPDATE' as const, object: structuredClone(broken) };
  expect(admit(write).causes).toHaveLength(1);
  expect(admit({ ...write, object: structuredClone(broken), subresource: 'status' }).causes).toEqual([]);
  expect(admit({ ...request, operation: 'DELETE', object: structuredClone(broken) }).causes).toEqual([]);
});
