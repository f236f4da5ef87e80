import { conditions } from '#platform/schema/conditions';
import { defineKind, type ObjectOf } from '#platform/schema/kind';
import {
  boolean,
  choice,
  duration,
  integer,
  list,
  object,
  quantity,
  required,
  string,
  timestamp,
} from '#platform/schema/schema';

const schedule = (description: string) =>
  string(`${description}: a cron expression of five fields, in UTC.`, { minLength: 1, maxLength: 256 });

const immutableField = (what: string) =>
  integer(`How many ${what} snapshots are kept; 0 when left out.`, { format: 'int32', minimum: 0, maximum: 1000 });

const snapshots = object(
  'Snapshots of the whole storage that are taken on their own.',
  {
    enabled: boolean('Whether they are taken.', { default: false }),
    schedule: schedule('When they are taken'),
    retention: object(
      'How many snapshots are kept; at least one of the three numbers is more than 0.',
      { daily: immutableField('daily'), weekly: immutableField('weekly'), monthly: immutableField('monthly') },
      {
        rules: [
          {
            rule: '(has(self.daily) && self.daily > 0) || (has(self.weekly) && self.weekly > 0) || (has(self.monthly) && self.monthly > 0)',
            message: 'at least one of daily, weekly and monthly must be 1 or more',
          },
        ],
      },
    ),
  },
  {
    rules: [
      {
        rule: '!self.enabled || has(self.schedule)',
        message: 'snapshots that are enabled need a schedule',
        reason: 'FieldValueRequired',
        fieldPath: '.schedule',
      },
    ],
  },
);

const replication = object(
  'Copies of the storage at other sites.',
  {
    enabled: boolean('Whether copies are made.', { default: false }),
    targets: list(
      'Sites that get a copy.',
      object('A site.', {
        name: required(string('Name of the site, unique in the storage.', { minLength: 1, maxLength: 63 })),
        endpoint: required(string('URL of the site, https:// or http://.', { minLength: 1, maxLength: 2048 })),
        schedule: required(schedule('When it gets the latest state')),
      }),
      { keys: ['name'], maxItems: 16 },
    ),
  },
  {
    rules: [
      {
        rule: '!self.enabled || (has(self.targets) && size(self.targets) > 0)',
        message: 'replication that is enabled needs at least one target',
        reason: 'FieldValueRequired',
        fieldPath: '.targets',
      },
    ],
  },
);

const spec = object('The storage that is wanted.', {
  type: required(
    choice(
      'What kind of storage it is; it cannot be changed later.',
      ['local', 'nfs', 'ceph', 'glusterfs', 'distributed'],
      { rules: [{ rule: 'self == oldSelf', message: 'the type of a storage cannot be changed' }] },
    ),
  ),
  config: object('How the storage is built.', {
    backend: choice('What keeps the data; required where the type leaves a choice that matters (distributed).', [
      'dir',
      'lvm',
      'zfs',
      'nfs',
      'ceph',
      'glusterfs',
    ]),
    pool: string('Pool, volume group, export or volume of the backend.', { maxLength: 253 }),
    replication: integer('How many copies of the data the backend keeps.', {
      format: 'int32',
      minimum: 1,
      maximum: 10,
    }),
  }),
  capacity: required(quantity('How much it holds, more than 0; it may grow and never shrinks.')),
  accessModes: list(
    'How nodes may use the storage; ReadWriteOnce when empty.',
    choice('An access mode.', ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod']),
    { type: 'set', maxItems: 4 },
  ),
  performanceTier: choice('How fast it must be; any when left out.', ['hdd', 'ssd', 'nvme']),
  encryption: object('Encryption of the data at rest.', {
    enabled: boolean('Whether data is encrypted.', { default: false }),
    provider: choice('Who keeps the keys.', ['vault', 'local'], { default: 'local' }),
    keyRotation: duration('How often the key is changed, such as 30d; never when left out.'),
  }),
  snapshots,
  replication,
});

const status = object('What was last observed.', {
  observedGeneration: integer('Generation of the spec that this status is about.', { format: 'int64', minimum: 0 }),
  phase: choice('Whether the storage can be used.', ['Pending', 'Ready', 'Degraded', 'Failed']),
  used: quantity('How much is in use.'),
  available: quantity('How much is free.'),
  allocations: integer('How many volumes there are.', { format: 'int64', minimum: 0 }),
  health: choice('State of the backend.', ['Healthy', 'Degraded', 'Failed']),
  lastSnapshot: timestamp('When the last snapshot was taken.'),
  lastReplication: timestamp('When a site last got a copy.'),
  lastKeyRotation: timestamp('When the key was last changed.'),
  conditions: conditions('Ready, Replicated'),
});

export const vmStorage = defineKind({
  group: 'novacron.io',
  versions: ['v1alpha1'],
  kind: 'VMStorage',
  plural: 'vmstorages',
  shortNames: ['vmstore'],
  description: 'Storage for the disks of virtual machines, with encryption, snapshots and copies at other sites.',
  spec,
  status,
  columns: [
    { name: 'Type', type: 'string', path: '.spec.type', description: 'What kind of storage it is.' },
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Whether the storage can be used.' },
    { name: 'Capacity', type: 'string', path: '.spec.capacity', description: 'How much it holds.' },
    { name: 'Used', type: 'string', path: '.status.used', description: 'How much is in use.' },
    { name: 'Health', type: 'string', path: '.status.health', description: 'State of the backend.' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
  ],
  example: {
    name: 'fast',
    spec: { type: 'ceph', config: { pool: 'machines', replication: 3 }, capacity: '2Ti', performanceTier: 'nvme' },
  },
});

export type VMStorage = ObjectOf<typeof vmStorage>;
