import { describe, expect, test } from 'vitest';
import { vmStorage } from '#api/novacron/vm-storage';
import { admissionTrial } from '#testing/admission-trial';
import { vmStorageAdmitter } from './vm-storage.ts';

const trial = admissionTrial(vmStorageAdmitter);

function storage(spec: object) {
  const { apiVersion, kind } = vmStorage;
  const whole = { type: 'ceph', capacity: '10Ti', ...spec };
  return { apiVersion, kind, metadata: { name: 'shared', namespace: 'default' }, spec: whole };
}
const target = (fields: object) =>
  storage({
    replication: {
      enabled: true,
      targets: [{ name: 'site', endpoint: 'https://replica.example.com', schedule: '*/15 * * * *', ...fields }],
    },
  });

describe('a valid storage is accepted:', () => {
  test.each<[string, object]>([
    ['with type and capacity', storage({})],
    [
      'with the disks of a node',
      storage({ type: 'local', config: { backend: 'zfs' }, accessModes: ['ReadWriteOnce'] }),
    ],
    ['with a site by port and path', target({ endpoint: 'http://10.0.0.1:8080/copies', schedule: '@hourly' })],
    [
      'with only weekly snapshots',
      storage({
        snapshots: { enabled: true, schedule: '0 3 * * 0', retention: { daily: 0, weekly: 4 } },
      }),
    ],
  ])('%s', (_what, object) => {
    const { causes, warnings, unknownFields } = trial(object);
    expect([...causes, ...warnings, ...unknownFields]).toEqual([]);
  });
});

describe('errors contain the field and a remedy:', () => {
  const snapshots = (fields: object) => storage({ snapshots: { enabled: true, ...fields } });
  const TARGET = 'spec.replication.targets[0]';
  const CRON = 'must be a cron expression of five fields: invalid schedule';
  const URL = 'must be a URL such as https://replica.example.com';

  test.each<[string, object, string[]]>([
    ['a capacity of 0', storage({ capacity: '0' }), ['spec.capacity: Invalid value: "0": must be greater than zero']],
    [
      'the wrong backend',
      storage({ config: { backend: 'lvm' } }),
      ['spec.config.backend: Invalid value: "lvm": storage of type ceph requires one of ceph'],
    ],
    [
      'a missing backend',
      storage({ type: 'distributed' }),
      ['spec.config.backend: Required value: storage of type distributed requires one of ceph, glusterfs'],
    ],
    [
      'shared access to the disks of a node',
      storage({ type: 'local', accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }),
      [
        'spec.accessModes[1]: Invalid value: "ReadWriteMany": storage of type local can only be used by one node: use ReadWriteOnce or ReadWriteOncePod',
      ],
    ],
    [
      'key rotation that is too frequent',
      storage({ encryption: { enabled: true, keyRotation: '0d' } }),
      ['spec.encryption.keyRotation: Invalid value: "0d": must be greater than zero'],
    ],
    [
      'snapshots without a schedule',
      snapshots({}),
      ['spec.snapshots.schedule: Required value: enabled snapshots need a schedule'],
    ],
    [
      'an invalid schedule',
      snapshots({ schedule: '0 25 * * *' }),
      [`spec.snapshots.schedule: Invalid value: "0 25 * * *": ${CRON}`],
    ],
    [
      'snapshots with a retention of 0',
      snapshots({ schedule: '@daily', retention: { daily: 0 } }),
      ['spec.snapshots.retention: Invalid value: at least one of daily, weekly and monthly must be 1 or more'],
    ],
    [
      'replication without sites',
      storage({ replication: { enabled: true } }),
      ['spec.replication.targets: Required value: enabled replication needs at least one target'],
    ],
    [
      'a site that is not a URL',
      target({ endpoint: 'replica' }),
      [`${TARGET}.endpoint: Invalid value: "replica": ${URL}`],
    ],
    [
      'a site of another protocol',
      target({ endpoint: 'ftp://replica' }),
      [`${TARGET}.endpoint: Invalid value: "ftp://replica": ${URL}`],
    ],
    [
      'a site with a password',
      target({ endpoint: 'https://me:secret@replica:1/x' }),
      [`${TARGET}.endpoint: Invalid value: "https://…@replica:1": may not hold a user name or password`],
    ],
    [
      'a replication interval of 0',
      target({ schedule: 'often' }),
      [`${TARGET}.schedule: Invalid value: "often": ${CRON}`],
    ],
  ])('%s', (_what, object, causes) => {
    const reported = trial(object).causes;
    expect(reported).toHaveLength(causes.length);
    for (const [i, cause] of causes.entries()) expect(reported[i]).toContain(cause);
  });
});

describe('an existing storage', () => {
  test('can grow, in any unit, and never shrink', () => {
    expect(trial(storage({ capacity: '10240Gi' }), storage({})).causes).toEqual([]);
    expect(trial(storage({ capacity: '11Ti' }), storage({})).causes).toEqual([]);
    expect(trial(storage({ capacity: '10239Gi' }), storage({})).causes).toEqual([
      'spec.capacity: Invalid value: "10239Gi": may not be less than before, 10Ti',
    ]);
  });

  test('cannot change its type', () => {
    expect(trial(storage({ type: 'nfs' }), storage({})).causes).toEqual([
      'spec.type: Invalid value: "nfs": the type of storage cannot be changed',
    ]);
  });
});

test('settings of a disabled feature get a warning', () => {
  const { causes, warnings } = trial(
    storage({ encryption: { keyRotation: '30d' }, snapshots: { schedule: '@daily' } }),
  );
  expect(causes).toEqual([]);
  expect(warnings).toEqual([
    'spec.encryption.keyRotation has no effect: spec.encryption is not enabled',
    'spec.snapshots.schedule has no effect: spec.snapshots is not enabled',
  ]);
});
