import { append } from '#platform/base/append';
import { type FieldError, forbidden, invalid, required } from '#platform/base/field-error';
import { dns1123SubdomainProblems } from '#platform/base/names';
import { tryParseQuantity } from '#platform/base/quantity';
import { storageClassWarnings } from '../deprecated-labels.ts';
import { causesFor, same, validateOneOf, validatePresent, validateUnchanged } from '../field-checks.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { goTerm } from '../pod/go-node-selector.ts';
import type { NodeSelector, VolumeSources } from '../pod/pod-spec.ts';
import { validateNodeSelector } from '../pod/validate-placement.ts';
import { validateCsi, validateHostPath, validateNfs } from '../pod/validate-volumes.ts';
import { defaultStorageBackend } from '../pod/volume-defaults.ts';
import { VOLUME_MODES, validateAccessModes } from './claim-spec.ts';

interface VolumeSpec extends Omit<VolumeSources, 'csi'> {
  accessModes?: string[];
  capacity?: Record<string, string>;
  persistentVolumeReclaimPolicy?: string;
  volumeMode?: string;
  storageClassName?: string;
  nodeAffinity?: { required?: NodeSelector };
  local?: { path?: string };
  csi?: { driver?: string; volumeHandle?: string };
}

interface PersistentVolume {
  spec?: VolumeSpec;
  status?: { phase?: string };
}

const RECYCLE_DEPRECATED =
  'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const;

export const persistentVolumes: KindStrategy<PersistentVolume> = {
  defaults(object) {
    const volume = object;
    const spec = (volume.spec ??= {});
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    defaultStorageBackend(spec);
    (volume.status ??= {}).phase ??= 'Pending';
  },
  firstStatus: ({ metadata }) => ({
    phase: 'Pending',
    ...(metadata.creationTimestamp ? { lastPhaseTransitionTime: metadata.creationTimestamp } : {}),
  }),
  validate(object, old) {
    const { spec = {} } = object;
    const before = old;
    const causes = validateSpec(spec);
    return before === undefined ? causes : [...causes, ...validateChange(spec, before.spec ?? {})];
  },
  warnings: ({ metadata, spec = {} }) => [
    ...storageClassWarnings(metadata.annotations),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle' ? [RECYCLE_DEPRECATED] : []),
  ],
};

function validateSpec(spec: VolumeSpec): FieldError[] {
  const { capacity, storageClassName = '', persistentVolumeReclaimPolicy: policy = '' } = spec;
  const causes = [
    ...validateAccessModes('spec.accessModes', spec.accessModes ?? [], ''),
    ...validateCapacity(capacity),
  ];
  if (policy === '') causes.push(required('spec.persistentVolumeReclaimPolicy'));
  else append(causes, validateOneOf('spec.persistentVolumeReclaimPolicy', policy, ['Delete', 'Recycle', 'Retain']));
  if (spec.nodeAffinity !== undefined) {
    const desired = spec.nodeAffinity.required;
    const at = 'spec.nodeAffinity.required';
    if (desired === undefined) causes.push(required(at, 'must specify required node constraints'));
    else append(causes, validateNodeSelector(at, desired));
  }
  append(causes, validateSource(spec));
  if (spec.hostPath?.path === '/' && policy === 'Recycle') {
    causes.push(forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'"));
  }
  if (storageClassName !== '') {
    append(causes, causesFor('spec.storageClassName', storageClassName, dns1123SubdomainProblems(storageClassName)));
  }
  if (spec.volumeMode !== undefined) append(causes, validateOneOf('spec.volumeMode', spec.volumeMode, VOLUME_MODES));
  return causes;
}

/** Validates that the capacity consists of storage only. */
function validateCapacity(capacity: Readonly<Record<string, string>> | undefined): FieldError[] {
  const causes: FieldError[] = [];
  const names = Object.keys(capacity ?? {});
  if (names.length === 0) causes.push(required('spec.capacity'));
  if (names.length !== 1 || names[0] !== 'storage') {
    const detail = 'supported values: "storage"';
    causes.push({ type: 'NotSupported', field: 'spec.capacity', value: capacity ?? null, detail });
  }
  for (const [name, text] of Object.entries(capacity ?? {})) {
    const nano = tryParseQuantity(text)?.nano ?? 0n;
    const at = `spec.capacity[${name}]`;
    if (nano < 0n) causes.push(invalid(at, nano / 1_000_000_000n, 'must be a valid resource quantity'));
    if (nano <= 0n) causes.push(invalid(at, text, 'must be greater than zero'));
  }
  return causes;
}

function validateSource(spec: VolumeSpec): FieldError[] {
  const causes: FieldError[] = [];
  const [first, ...more] = SOURCES.filter((name) => spec[name] !== undefined);
  if (first === undefined) return [required('spec', 'must specify a volume type')];
  const { hostPath = {}, nfs = {}, csi, local } = spec;
  if (first === 'hostPath') append(causes, validateHostPath('spec.hostPath', hostPath));
  if (first === 'nfs') append(causes, validateNfs('spec.nfs', nfs));
  if (first === 'csi') {
    append(
      causes,
      validateCsi('spec.csi.driver', csi?.driver ?? ''),
      validatePresent('spec.csi.volumeHandle', csi?.volumeHandle),
    );
  }
  if (first === 'local') {
    append(causes, validatePresent('spec.local.path', local?.path));
    if (spec.nodeAffinity === undefined) {
      causes.push(required('spec.nodeAffinity', 'Local volume requires node affinity'));
    }
  }
  for (const name of more) causes.push(forbidden(`spec.${name}`, 'may not specify more than 1 volume type'));
  return causes;
}

function validateChange(spec: VolumeSpec, old: VolumeSpec): FieldError[] {
  const causes: FieldError[] = [];
  if (SOURCES.some((name) => !same(spec[name], old[name]))) {
    const detail = 'spec.persistentvolumesource is immutable after creation';
    causes.push(forbidden('spec.persistentvolumesource', detail));
  }
  append(causes, validateUnchanged('volumeMode', spec.volumeMode, old.volumeMode));
  if (old.nodeAffinity !== undefined && !same(spec.nodeAffinity, old.nodeAffinity)) {
    const detail = 'field is immutable, except for updating from beta label to GA';
    causes.push(invalid('nodeAffinity', goAffinity(spec.nodeAffinity?.required), detail));
  }
  return causes;
}

/** Returns the affinity as the server prints it. */
function goAffinity(selector: NodeSelector | undefined): unknown {
  if (selector === undefined) return null;
  return { Required: { NodeSelectorTerms: (selector.nodeSelectorTerms ?? []).map(goTerm) } };
}
