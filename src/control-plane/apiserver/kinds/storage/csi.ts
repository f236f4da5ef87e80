import { append } from '#platform/base/append';
import { duplicate, type FieldError, index, invalid, required } from '#platform/base/field-error';
import { dns1123SubdomainProblems } from '#platform/base/names';
import { byName } from '../by-name.ts';
import {
  causesFor,
  IMMUTABLE,
  same,
  validateLabelName,
  validateNotNegative,
  validateOneOf,
  validateOneOfIfSet,
} from '../field-checks.ts';
import { fill } from '../fill.ts';
import { goStruct } from '../go-struct.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { validateCsi } from '../pod/validate-volumes.ts';

interface Driver {
  spec?: {
    attachRequired?: boolean;
    podInfoOnMount?: boolean;
    storageCapacity?: boolean;
    fsGroupPolicy?: string;
    requiresRepublish?: boolean;
    seLinuxMount?: boolean;
    volumeLifecycleModes?: string[];
    tokenRequests?: { audience?: string; expirationSeconds?: number }[];
  };
}

export const csiDrivers: KindStrategy<Driver> = {
  defaults(object) {
    fill((object.spec ??= {}), {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
      seLinuxMount: false,
      volumeLifecycleModes: ['Persistent'],
    });
  },
  validate(object, old) {
    const { spec = {} } = object;
    const audiences = new Set<string>();
    const causes = [
      ...validateOneOfIfSet('spec.fsGroupPolicy', spec.fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType']),
      ...(spec.tokenRequests ?? []).flatMap(({ audience = '', expirationSeconds }, i) => {
        const at = index('spec.tokenRequests', i);
        if (audiences.has(audience)) return [duplicate(`${at}.audience`, audience)];
        audiences.add(audience);
        return (expirationSeconds ?? 600) < 600
          ? [invalid(`${at}.expirationSeconds`, expirationSeconds, 'may not specify a duration less than 10 minutes')]
          : [];
      }),
      ...(spec.volumeLifecycleModes ?? []).flatMap((mode) =>
        validateOneOf('spec.volumeLifecycleModes', mode, ['Persistent', 'Ephemeral']),
      ),
    ];
    const before = old;
    if (before === undefined || spec.attachRequired === before.spec?.attachRequired) return causes;
    return [...causes, invalid('spec.attachedRequired', spec.attachRequired, IMMUTABLE)];
  },
};

interface NodeDriver {
  name?: string;
  nodeID?: string;
  topologyKeys?: string[] | null;
  allocatable?: { count?: number };
}

interface CsiNode {
  spec?: { drivers?: NodeDriver[] | null };
}

export const csiNodes: KindStrategy<CsiNode> = {
  validate(object, old) {
    const drivers = object.spec?.drivers ?? [];
    const names = new Set<string>();
    const causes = drivers.flatMap((driver, i) => validateDriver(index('spec.drivers', i), driver, names));
    const before = old?.spec?.drivers ?? [];
    for (const driver of drivers) {
      const known = byName(before).get(driver.name ?? '');
      if (known !== undefined && !same(known, driver)) {
        const { name, nodeID, topologyKeys, allocatable } = driver;
        const shown = {
          Name: name,
          NodeID: nodeID,
          TopologyKeys: topologyKeys ?? null,
          Allocatable: allocatable === undefined ? null : { Count: allocatable.count ?? null },
        };
        causes.push(invalid('spec.drivers', goStruct(shown), IMMUTABLE));
      }
    }
    return causes;
  },
};

function validateDriver(field: string, driver: NodeDriver, names: Set<string>): FieldError[] {
  const { name = '', nodeID = '', topologyKeys, allocatable } = driver;
  const causes = validateCsi(`${field}.name`, name);
  if (nodeID === '') causes.push(required(`${field}.nodeID`));
  else if (nodeID.length > 256) causes.push(invalid(`${field}.nodeID`, nodeID, 'must be 256 characters or less'));
  if (allocatable !== undefined) append(causes, validateNotNegative(`${field}.allocatable.count`, allocatable.count));
  if (names.has(name) && name !== '') causes.push(duplicate(`${field}.name`, name));
  names.add(name);
  const keys = new Set<string>();
  for (const key of topologyKeys ?? []) {
    if (keys.has(key)) causes.push(duplicate(field, key));
    if (key === '') causes.push(required(field));
    keys.add(key);
    append(causes, validateLabelName(field, key));
  }
  return causes;
}

interface Attachment {
  spec?: {
    attacher?: string;
    nodeName?: string;
    source?: { persistentVolumeName?: string; inlineVolumeSpec?: unknown };
  };
}

export const volumeAttachments: KindStrategy<Attachment> = {
  firstStatus: () => ({ attached: false }),
  validate(object, old) {
    const { spec = {} } = object;
    const { attacher = '', nodeName = '', source = {} } = spec;
    const causes = validateCsi('spec.attacher', attacher);
    const { persistentVolumeName: volume, inlineVolumeSpec } = source;
    if ((volume === undefined) === (inlineVolumeSpec === undefined)) {
      const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
      causes.push(required('spec.source', detail));
    } else if (volume !== undefined) {
      const at = 'spec.source.persistentVolumeName';
      if (volume === '') causes.push(required(at, 'must specify non empty persistentVolumeName'));
      append(causes, causesFor(at, volume, dns1123SubdomainProblems(volume)));
    }
    append(causes, causesFor('spec.nodeName', nodeName, dns1123SubdomainProblems(nodeName)));
    const before = old;
    if (before === undefined || same(spec, before.spec)) return causes;
    const shown = {
      Attacher: attacher,
      Source: { PersistentVolumeName: volume ?? null, InlineVolumeSpec: inlineVolumeSpec ?? null },
      NodeName: nodeName,
    };
    return [...causes, invalid('spec', goStruct(shown), IMMUTABLE)];
  },
};
