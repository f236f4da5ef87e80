import type { FieldHints, HintedPart } from './field-hints.ts';
import { amount, cron, durationText, urlText } from './values.ts';

const BACKENDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  local: ['dir', 'lvm', 'zfs'],
  nfs: ['nfs'],
  ceph: ['ceph'],
  glusterfs: ['glusterfs'],
  distributed: ['ceph', 'glusterfs'],
};

export const vmStorage: FieldHints = {
  fields: {
    '.spec.capacity': amount,
    keyRotation: { good: durationText, bad: ['0s', 'often', '1y'] },
    schedule: cron,
    endpoint: { good: urlText, bad: ['replica', 'ftp://host', 'https://', 'https://user:secret@host/'] },
  },
  repairs: {
    snapshots: (part: HintedPart) => {
      if (part['enabled'] === true) part['schedule'] ??= '@daily';
    },
    'snapshots.retention': (part: HintedPart) => {
      if (!Object.values(part).some((count) => Number(count) > 0)) part[Object.keys(part)[0] ?? 'daily'] = 7;
    },
    '.spec.replication': (part: HintedPart) => {
      const targets = (part['targets'] ?? []) as unknown[];
      if (part['enabled'] === true && targets.length === 0) {
        part['targets'] = [{ name: 'far', endpoint: 'https://far.example.com', schedule: '@hourly' }];
      }
    },
    '.spec': (spec: HintedPart, draw) => {
      const type = String(spec['type']);
      const config = spec['config'] as HintedPart | undefined;
      if (config?.['backend'] !== undefined || type === 'distributed') {
        spec['config'] = { ...config, backend: draw.one(BACKENDS[type] ?? ['ceph']) };
      }
      if (type === 'local' && spec['accessModes'] !== undefined)
        spec['accessModes'] = ['ReadWriteOnce', 'ReadWriteOncePod'];
    },
  },
};
