import { ageOf, type Cell, formatQuantityCell, type Listed, nameOf } from '../cell.ts';

type Amounts = Readonly<Record<string, string | number>>;

interface Volume extends Listed {
  readonly spec?: {
    readonly capacity?: Amounts;
    readonly accessModes?: readonly string[];
    readonly persistentVolumeReclaimPolicy?: string;
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly volumeMode?: string;
  };
  readonly status?: { readonly phase?: string; readonly reason?: string };
}

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

const MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

const modeText = (modes: readonly string[] = []) =>
  MODES.flatMap(([mode, short]) => (modes.includes(mode) ? [short] : [])).join(',');

const phaseText = (object: Listed, phase = '') => (object.metadata?.deletionTimestamp ? 'Terminating' : phase);

/** The class may be in an annotation, which predates the field in the spec. */
const classText = (object: Listed, name = '') => object.metadata?.annotations?.[CLASS_ANNOTATION] ?? name;

export function persistentVolumeRow(object: Volume, now: number): Cell[] {
  const { spec = {}, status = {} } = object;
  const { claimRef } = spec;
  return [
    nameOf(object),
    formatQuantityCell(spec.capacity?.['storage']),
    modeText(spec.accessModes),
    spec.persistentVolumeReclaimPolicy ?? '',
    phaseText(object, status.phase),
    claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`,
    classText(object, spec.storageClassName),
    spec.volumeAttributesClassName ?? '<unset>',
    status.reason ?? '',
    ageOf(object, now),
    spec.volumeMode ?? '<unset>',
  ];
}

interface Claim extends Listed {
  readonly spec?: {
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly volumeMode?: string;
  };
  readonly status?: { readonly phase?: string; readonly capacity?: Amounts; readonly accessModes?: readonly string[] };
}

export function persistentVolumeClaimRow(object: Claim, now: number): Cell[] {
  const { spec = {}, status = {} } = object;
  const bound = Boolean(spec.volumeName);
  return [
    nameOf(object),
    phaseText(object, status.phase),
    spec.volumeName ?? '',
    bound ? formatQuantityCell(status.capacity?.['storage']) : '',
    bound ? modeText(status.accessModes) : '',
    classText(object, spec.storageClassName),
    spec.volumeAttributesClassName ?? '<unset>',
    ageOf(object, now),
    spec.volumeMode ?? '<unset>',
  ];
}

interface StorageClass extends Listed {
  readonly provisioner?: string;
  readonly reclaimPolicy?: string;
  readonly volumeBindingMode?: string;
  readonly allowVolumeExpansion?: boolean;
}

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

export function storageClassRow(object: StorageClass, now: number): Cell[] {
  const isDefault = DEFAULT_CLASS.some((key) => object.metadata?.annotations?.[key] === 'true');
  return [
    `${nameOf(object)}${isDefault ? ' (default)' : ''}`,
    object.provisioner ?? '',
    object.reclaimPolicy ?? 'Delete',
    object.volumeBindingMode ?? 'Immediate',
    object.allowVolumeExpansion ?? false,
    ageOf(object, now),
  ];
}

interface CsiDriver extends Listed {
  readonly spec?: {
    readonly attachRequired?: boolean;
    readonly podInfoOnMount?: boolean;
    readonly storageCapacity?: boolean;
    readonly requiresRepublish?: boolean;
    readonly tokenRequests?: readonly { readonly audience?: string }[];
    readonly volumeLifecycleModes?: readonly string[];
  };
}

export function csiDriverRow(object: CsiDriver, now: number): Cell[] {
  const { spec = {} } = object;
  return [
    nameOf(object),
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    spec.tokenRequests?.map(({ audience = '' }) => audience).join(',') ?? '<unset>',
    spec.requiresRepublish ?? false,
    spec.volumeLifecycleModes?.join(',') || '<none>',
    ageOf(object, now),
  ];
}

export function csiNodeRow(
  object: Listed & { readonly spec?: { readonly drivers?: readonly unknown[] | null } },
  now: number,
): Cell[] {
  return [nameOf(object), object.spec?.drivers?.length ?? 0, ageOf(object, now)];
}

interface Attachment extends Listed {
  readonly spec?: {
    readonly attacher?: string;
    readonly nodeName?: string;
    readonly source?: { readonly persistentVolumeName?: string };
  };
  readonly status?: { readonly attached?: boolean };
}

export function volumeAttachmentRow(object: Attachment, now: number): Cell[] {
  const { attacher = '', nodeName = '', source } = object.spec ?? {};
  const volume = source?.persistentVolumeName ?? '';
  return [nameOf(object), attacher, volume, nodeName, object.status?.attached ?? false, ageOf(object, now)];
}

export function volumeAttributesClassRow(object: Listed & { readonly driverName?: string }, now: number): Cell[] {
  return [nameOf(object), object.driverName ?? '', ageOf(object, now)];
}
