import { conditions } from '#platform/schema/conditions';
import { defineKind, type ObjectOf } from '#platform/schema/kind';
import {
  boolean,
  choice,
  dateTime,
  duration,
  integer,
  list,
  object,
  quantity,
  requiredField,
  string,
} from '#platform/schema/schema';

const schedule = (description: string) =>
  string(`${description}: a cron expression of five fields, in UTC.`, { minLength: 1, maxLength: 256 });

const immutableField = (what: string) =>
  integer(`How many ${what} snapshots are kept. Defaults to 0.`, { format: 'int32', minimum: 0, maximum: 1000 });

const snapshots = object(
  'Scheduled snapshots of the whole storage.',
  {
    enabled: boolean('Whether snapshots are taken.', { default: false }),
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
        message: 'enabled snapshots need a schedule',
        reason: 'FieldValueRequired',
        fieldPath: '.schedule',
      },
    ],
  },
);

const replication = object(
  'Replication of the storage to other sites.',
  {
    enabled: boolean('Whether replication is enabled.', { default: false }),
    targets: list(
      'Target sites.',
      object('A site.', {
        name: requiredField(string('Name of the site, unique in the storage.', { minLength: 1, maxLength: 63 })),
        endpoint: requiredField(string('URL of the site, https:// or http://.', { minLength: 1, maxLength: 2048 })),
        schedule: requiredField(schedule('When the site is updated')),
      }),
      { keys: ['name'], maxItems: 16 },
    ),
  },
  {
    rules: [
      {
        rule: '!self.enabled || (has(self.targets) && size(self.targets) > 0)',
        message: 'enabled replication needs at least one target',
        reason: 'FieldValueRequired',
        fieldPath: '.targets',
      },
    ],
  },
);

const spec = object('Desired state of the storage.', {
  type: requiredField(
    choice('Type of storage. Immutable.', ['local', 'nfs', 'ceph', 'glusterfs', 'distributed'], {
      rules: [{ rule: 'self == oldSelf', message: 'the type of storage cannot be changed' }],
    }),
  ),
  config: object('Implementation of the storage.', {
    backend: choice('Storage backend; required for type distributed.', [
      'dir',
      'lvm',
      'zfs',
      'nfs',
      'ceph',
      'glusterfs',
    ]),
    pool: string('Pool, volume group, export or volume of the backend.', { maxLength: 253 }),
    replication: integer('Number of replicas that the backend keeps.', {
      format: 'int32',
      minimum: 1,
      maximum: 10,
    }),
  }),
  capacity: requiredField(quantity('Capacity, greater than 0. It can grow, but not shrink.')),
  accessModes: list(
    'How nodes may use the storage; ReadWriteOnce when empty.',
    choice('An access mode.', ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod']),
    { type: 'set', maxItems: 4 },
  ),
  performanceTier: choice('Performance class. Defaults to any.', ['hdd', 'ssd', 'nvme']),
  encryption: object('Encryption of the data at rest.', {
    enabled: boolean('Whether data is encrypted.', { default: false }),
    provider: choice('Key management.', ['vault', 'local'], { default: 'local' }),
    keyRotation: duration('Key rotation interval, such as 30d. Keys are never rotated if not set.'),
  }),
  snapshots,
  replication,
});

const status = object('Observed state of the storage.', {
  observedGeneration: integer('Generation of the spec that this status describes.', { format: 'int64', minimum: 0 }),
  phase: choice('Whether the storage can be used.', ['Pending', 'Ready', 'Degraded', 'Failed']),
  used: quantity('Used capacity.'),
  available: quantity('Free capacity.'),
  allocations: integer('Number of volumes.', { format: 'int64', minimum: 0 }),
  health: choice('State of the backend.', ['Healthy', 'Degraded', 'Failed']),
  lastSnapshot: dateTime('When the last snapshot was taken.'),
  lastReplication: dateTime('When a site was last updated.'),
  lastKeyRotation: dateTime('When the key was last rotated.'),
  conditions: conditions('Ready, Replicated'),
});

export const vmStorage = defineKind({
  group: 'novacron.io',
  versions: ['v1alpha1'],
  kind: 'VMStorage',
  plural: 'vmstorages',
  shortNames: ['vmstore'],
  description: 'Storage for the disks of virtual machines, with encryption, snapshots and replication.',
  spec,
  status,
  columns: [
    { name: 'Type', type: 'string', path: '.spec.type', description: 'Type of storage.' },
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Whether the storage can be used.' },
    { name: 'Capacity', type: 'string', path: '.spec.capacity', description: 'Capacity.' },
    { name: 'Used', type: 'string', path: '.status.used', description: 'Used capacity.' },
    { name: 'Health', type: 'string', path: '.status.health', description: 'State of the backend.' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
  ],
  example: {
    name: 'fast',
    spec: { type: 'ceph', config: { pool: 'machines', replication: 3 }, capacity: '2Ti', performanceTier: 'nvme' },
  },
});

export type VMStorage = ObjectOf<typeof vmStorage>;
