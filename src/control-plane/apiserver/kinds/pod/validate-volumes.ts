import { append } from '#platform/base/append';
import { duplicate, type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';
import { tryParseQuantity } from '#platform/base/quantity';
import {
  causesFor,
  validateFileInVolume,
  validateNoBackSteps,
  validateOneOf,
  validatePresent,
} from '../field-checks.ts';
import { validateClaimSpec } from '../storage/claim-spec.ts';
import type { DownwardFile, KeyToPath, Projection, Volume, VolumeSources } from './pod-spec.ts';
import { validateFieldRef, validateResourceFieldRef } from './validate-env.ts';

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const DOWNWARD_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive';
const MIN_TOKEN_SECONDS = 600;

/** Validates the volumes of a pod, each of which has one source. */
export function validateVolumes(field: string, volumes: readonly Volume[]): FieldError[] {
  const names = new Set<string>();
  return volumes.flatMap((volume, i) => {
    const at = index(field, i);
    const { name = '', ...sources } = volume;
    const causes = validateSource(at, sources);
    if (name === '') causes.push(required(`${at}.name`));
    else append(causes, causesFor(`${at}.name`, name, dns1123LabelProblems(name)));
    if (name !== '' && names.has(name)) causes.push(duplicate(`${at}.name`, name));
    names.add(name);
    return causes;
  });
}

const CHECKS: readonly [keyof VolumeSources, (at: string, sources: VolumeSources) => FieldError[]][] = [
  ['emptyDir', (at, { emptyDir }) => validateEmptyDir(at, emptyDir?.sizeLimit)],
  ['hostPath', (at, { hostPath = {} }) => validateHostPath(at, hostPath)],
  ['gitRepo', () => []],
  ['gcePersistentDisk', () => []],
  ['awsElasticBlockStore', () => []],
  ['secret', (at, { secret = {} }) => validateFiles(at, 'secretName', secret.secretName, secret)],
  ['nfs', (at, { nfs = {} }) => validateNfs(at, nfs)],
  [
    'iscsi',
    (at, { iscsi = {} }) => [
      ...validatePresent(`${at}.targetPortal`, iscsi.targetPortal),
      ...validatePresent(`${at}.iqn`, iscsi.iqn),
    ],
  ],
  ['glusterfs', () => []],
  ['flocker', () => []],
  [
    'persistentVolumeClaim',
    (at, { persistentVolumeClaim }) => validatePresent(`${at}.claimName`, persistentVolumeClaim?.claimName),
  ],
  ['rbd', () => []],
  ['cinder', () => []],
  ['cephfs', () => []],
  ['quobyte', () => []],
  [
    'downwardAPI',
    (at, { downwardAPI = {} }) => [
      ...validateMode(`${at}.defaultMode`, downwardAPI.defaultMode),
      ...(downwardAPI.items ?? []).flatMap((file) => validateDownwardFile(at, file)),
    ],
  ],
  ['fc', () => []],
  ['flexVolume', () => []],
  ['configMap', (at, { configMap = {} }) => validateFiles(at, 'name', configMap.name, configMap)],
  ['azureFile', () => []],
  ['vsphereVolume', () => []],
  ['photonPersistentDisk', () => []],
  ['portworxVolume', () => []],
  ['azureDisk', () => []],
  ['storageos', () => []],
  [
    'projected',
    (at, { projected = {} }) => [
      ...validateMode(`${at}.defaultMode`, projected.defaultMode),
      ...validateProjections(at, projected.sources ?? []),
    ],
  ],
  ['scaleIO', () => []],
  ['csi', (at, { csi }) => validateCsi(`${at}.driver`, csi?.driver ?? '')],
  ['ephemeral', (at, { ephemeral }) => validateEphemeral(`${at}.volumeClaimTemplate`, ephemeral?.volumeClaimTemplate)],
  [
    'image',
    (at, { image = {} }) => [
      ...validatePresent(`${at}.reference`, image.reference),
      ...validateOneOf(`${at}.pullPolicy`, image.pullPolicy, ['Always', 'IfNotPresent', 'Never']),
    ],
  ],
];

function validateSource(field: string, sources: VolumeSources): FieldError[] {
  const causes: FieldError[] = [];
  let found = 0;
  for (const [name, check] of CHECKS) {
    if (sources[name] === undefined) continue;
    found++;
    if (found === 1) append(causes, check(`${field}.${name}`, sources));
    else causes.push(forbidden(`${field}.${name}`, 'may not specify more than 1 volume type'));
  }
  if (found === 0) causes.push(required(field, 'must specify a volume type'));
  return causes;
}

function validateEmptyDir(field: string, sizeLimit: string | undefined): FieldError[] {
  const negative = sizeLimit !== undefined && (tryParseQuantity(sizeLimit)?.nano ?? 0n) < 0n;
  return negative ? [forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')] : [];
}

export function validateHostPath(field: string, { path = '', type }: { path?: string; type?: string }): FieldError[] {
  if (path === '') return [required(`${field}.path`)];
  return [
    ...validateNoBackSteps(`${field}.path`, path),
    ...(type === undefined ? [] : validateOneOf(`${field}.type`, type, HOST_PATH_TYPES)),
  ];
}

export function validateNfs(
  field: string,
  { server = '', path = '' }: { server?: string; path?: string },
): FieldError[] {
  return [
    ...validatePresent(`${field}.server`, server),
    ...validatePresent(`${field}.path`, path),
    ...(path.startsWith('/') ? [] : [invalid(`${field}.path`, path, 'must be an absolute path')]),
  ];
}

export function validateCsi(field: string, driver: string): FieldError[] {
  if (driver === '') return [required(field)];
  const long = driver.length > 63 ? [{ type: 'TooLong', field, detail: 'may not be more than 63 bytes' } as const] : [];
  return [...long, ...causesFor(field, driver, dns1123SubdomainProblems(driver.toLowerCase()))];
}

function validateEphemeral(field: string, template: { spec?: Record<string, unknown> } | undefined): FieldError[] {
  if (template === undefined) return [required(field)];
  return validateClaimSpec(`${field}.spec`, template.spec ?? {});
}

function validateMode(field: string, mode: number | undefined): FieldError[] {
  return mode !== undefined && (mode < 0 || mode > 0o777) ? [invalid(field, mode, FILE_MODE)] : [];
}

function validateFiles(
  field: string,
  nameField: string,
  name: string | undefined,
  { items = [], defaultMode }: { items?: KeyToPath[]; defaultMode?: number },
): FieldError[] {
  return [
    ...validatePresent(`${field}.${nameField}`, name),
    ...validateMode(`${field}.defaultMode`, defaultMode),
    ...validateItems(field, items),
  ];
}

function validateItems(field: string, items: readonly KeyToPath[]): FieldError[] {
  return items.flatMap(({ key = '', path = '', mode }, i) => {
    const at = index(`${field}.items`, i);
    return [
      ...validatePresent(`${at}.key`, key),
      ...validatePresent(`${at}.path`, path),
      ...(path === '' ? [] : validateFileInVolume(`${at}.path`, path)),
      ...validateMode(`${at}.mode`, mode),
    ];
  });
}

/** Validates a file of the downward API. Causes do not state which of the files it is, as in the server. */
function validateDownwardFile(
  field: string,
  { path = '', fieldRef, resourceFieldRef, mode }: DownwardFile,
): FieldError[] {
  const causes = validatePresent(`${field}.path`, path);
  if (path !== '') append(causes, validateFileInVolume(`${field}.path`, path));
  if (fieldRef !== undefined) {
    append(causes, validateFieldRef(`${field}.fieldRef`, fieldRef, DOWNWARD_FIELDS));
    if (resourceFieldRef !== undefined) {
      causes.push(invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (resourceFieldRef !== undefined) {
    append(causes, validateResourceFieldRef(`${field}.resourceFieldRef`, resourceFieldRef, true));
  } else causes.push(required(field, 'one of fieldRef and resourceFieldRef is required'));
  return [...causes, ...validateMode(`${field}.mode`, mode)];
}

function validateProjections(field: string, sources: readonly Projection[]): FieldError[] {
  const causes: FieldError[] = [];
  const paths = new Set<string>();
  const claim = (path: string, name: string | undefined) => {
    if (path === '') return;
    if (!paths.has(path)) paths.add(path);
    else if (name === undefined) causes.push(invalid(field, path, 'conflicting duplicate paths'));
    else causes.push(invalid(field, name, 'conflicting duplicate paths'));
  };
  for (const [i, source] of sources.entries()) {
    const at = index(`${field}.sources`, i);
    const found = Object.values(source).filter((each) => each !== undefined).length;
    if (found > 1) {
      causes.push(forbidden(at, 'may not specify more than 1 volume type per source'));
      continue;
    }
    for (const [kind, files] of [
      ['secret', source.secret],
      ['configMap', source.configMap],
    ] as const) {
      if (files === undefined) continue;
      append(
        causes,
        validatePresent(`${at}.${kind}.name`, files.name),
        validateItems(`${at}.${kind}`, files.items ?? []),
      );
      for (const { path = '' } of files.items ?? []) claim(path, files.name);
    }
    for (const file of source.downwardAPI?.items ?? []) {
      append(causes, validateDownwardFile(`${at}.downwardAPI`, file));
      claim(file.path ?? '', undefined);
    }
    const token = source.serviceAccountToken;
    if (token !== undefined) {
      const { path = '', expirationSeconds = 0 } = token;
      const lasts = `${at}.serviceAccountToken.expirationSeconds`;
      if (expirationSeconds < MIN_TOKEN_SECONDS) {
        causes.push(invalid(lasts, expirationSeconds, 'may not specify a duration less than 10 minutes'));
      } else if (expirationSeconds > 2 ** 32) {
        causes.push(invalid(lasts, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
      }
      append(
        causes,
        path === '' ? [required(`${field}.path`)] : validateFileInVolume(`${at}.serviceAccountToken.path`, path),
      );
      claim(path, undefined);
    }
  }
  return causes;
}
