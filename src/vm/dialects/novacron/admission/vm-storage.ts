import { type VMStorage, vmStorage } from '#api/novacron/vm-storage';
import { type FieldError, index, invalid, required } from '#platform/base/field-error';
import type { Admitter } from '#vm/admission/admitter';
import { isLess, positiveDuration, positiveQuantity } from '#vm/admission/amounts';
import { changesSpec } from '#vm/admission/changes-spec';
import { validateSchedule } from './schedule.ts';

type Spec = VMStorage['spec'];
type Target = NonNullable<NonNullable<Spec['replication']>['targets']>[number];

/** Supported backends by storage type. */
const BACKENDS: Readonly<Record<Spec['type'], readonly string[]>> = {
  local: ['dir', 'lvm', 'zfs'],
  nfs: ['nfs'],
  ceph: ['ceph'],
  glusterfs: ['glusterfs'],
  distributed: ['ceph', 'glusterfs'],
};

export const vmStorageAdmitter: Admitter<typeof vmStorage> = {
  kind: vmStorage,
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { object, old } = request;
    const { spec } = object;
    return {
      causes: [
        ...validateBackend('spec.config.backend', spec),
        ...validateCapacity('spec.capacity', spec, old?.spec),
        ...validateAccessModes('spec.accessModes', spec),
        ...positiveDuration('spec.encryption.keyRotation', spec.encryption?.keyRotation),
        ...validateSchedule('spec.snapshots.schedule', spec.snapshots?.schedule),
        ...(spec.replication?.targets ?? []).flatMap((target, i) =>
          validateTarget(index('spec.replication.targets', i), target),
        ),
      ],
      warnings: warnings(spec),
    };
  },
};

function validateBackend(field: string, { type, config }: Spec): FieldError[] {
  const known = BACKENDS[type];
  const backend = config?.backend;
  if (backend === undefined) {
    return type === 'distributed'
      ? [required(field, `storage of type distributed requires one of ${known.join(', ')}`)]
      : [];
  }
  return known.includes(backend)
    ? []
    : [invalid(field, backend, `storage of type ${type} requires one of ${known.join(', ')}`)];
}

function validateCapacity(field: string, { capacity }: Spec, before: Spec | undefined): FieldError[] {
  const causes = positiveQuantity(field, capacity);
  if (before === undefined || causes.length > 0 || !isLess(capacity, before.capacity)) return causes;
  return [invalid(field, capacity, `may not be less than before, ${before.capacity}`)];
}

/** Disks that are local to one node cannot be written from several. */
function validateAccessModes(field: string, { type, accessModes = [] }: Spec): FieldError[] {
  if (type !== 'local') return [];
  return accessModes.flatMap((mode, i) =>
    mode === 'ReadWriteMany' || mode === 'ReadOnlyMany'
      ? [
          invalid(
            index(field, i),
            mode,
            'storage of type local can only be used by one node: use ReadWriteOnce or ReadWriteOncePod',
          ),
        ]
      : [],
  );
}

function validateTarget(field: string, { endpoint, schedule }: Target): FieldError[] {
  return [...validateEndpoint(`${field}.endpoint`, endpoint), ...validateSchedule(`${field}.schedule`, schedule)];
}

function validateEndpoint(field: string, endpoint: string): FieldError[] {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    return [invalid(field, endpoint, 'must be a URL such as https://replica.example.com')];
  }
  // Many can read the spec, so it must not hold a password, and the response does not repeat it.
  return url.username === '' && url.password === ''
    ? []
    : [invalid(field, `${url.protocol}//…@${url.host}`, 'may not hold a user name or password')];
}

function warnings({ encryption, snapshots, replication }: Spec): string[] {
  const idle: [path: string, given: boolean, enabled: boolean | undefined][] = [
    ['encryption.keyRotation', encryption?.keyRotation !== undefined, encryption?.enabled],
    ['snapshots.schedule', snapshots?.schedule !== undefined, snapshots?.enabled],
    ['replication.targets', (replication?.targets ?? []).length > 0, replication?.enabled],
  ];
  return idle
    .filter(([, given, enabled]) => given && enabled !== true)
    .map(([path]) => `spec.${path} has no effect: spec.${path.split('.')[0]} is not enabled`);
}
