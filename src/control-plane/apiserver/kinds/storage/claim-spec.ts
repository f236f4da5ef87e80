import { append } from '#platform/base/append';
import { type FieldError, forbidden, invalid, notSupported, required } from '#platform/base/field-error';
import { dns1123SubdomainProblems } from '#platform/base/names';
import { tryParseQuantity } from '#platform/base/quantity';
import { causesFor, same, validateOneOf } from '../field-checks.ts';
import { type LabelSelector, validateSelector } from '../label-selector.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const VOLUME_MODES = ['Block', 'Filesystem'];

interface DataSource {
  apiGroup?: string | null;
  kind?: string;
  name?: string;
  namespace?: string;
}

/** Spec of a claim, which templates in pods and StatefulSets use too. */
export interface ClaimSpec {
  accessModes?: string[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  selector?: LabelSelector;
  storageClassName?: string;
  volumeMode?: string;
  volumeName?: string;
  volumeAttributesClassName?: string;
  dataSource?: DataSource;
  dataSourceRef?: DataSource;
}

export function validateAccessModes(field: string, modes: readonly string[], noneDetail: string): FieldError[] {
  const causes = modes.length === 0 ? [required(field, noneDetail)] : [];
  append(
    causes,
    modes.filter((mode) => !ACCESS_MODES.includes(mode)).map((mode) => notSupported(field, mode, ACCESS_MODES)),
  );
  if (modes.includes('ReadWriteOncePod') && modes.length > 1) {
    causes.push(forbidden(field, 'may not use ReadWriteOncePod with other access modes'));
  }
  return causes;
}

export function validateClaimSpec(field: string, spec: ClaimSpec): FieldError[] {
  const causes = validateAccessModes(
    `${field}.accessModes`,
    spec.accessModes ?? [],
    'at least 1 access mode is required',
  );
  append(causes, validateSelector(`${field}.selector`, spec.selector));
  const requested = spec.resources?.requests?.['storage'];
  const at = `${field}.resources[storage]`;
  if (requested === undefined) causes.push(required(at));
  else if ((tryParseQuantity(requested)?.nano ?? 0n) <= 0n)
    causes.push(invalid(at, requested, 'must be greater than zero'));
  if (spec.storageClassName !== undefined && spec.storageClassName !== '') {
    const name = spec.storageClassName;
    append(causes, causesFor(`${field}.storageClassName`, name, dns1123SubdomainProblems(name)));
  }
  if (spec.volumeMode !== undefined)
    append(causes, validateOneOf(`${field}.volumeMode`, spec.volumeMode, VOLUME_MODES));
  if (spec.dataSourceRef !== undefined) append(causes, validateSource(`${field}.dataSourceRef`, spec.dataSourceRef));
  if (spec.dataSource !== undefined) append(causes, validateSource(`${field}.dataSource`, spec.dataSource));
  if (
    spec.dataSource !== undefined &&
    spec.dataSourceRef !== undefined &&
    (spec.dataSourceRef.namespace ?? '') === ''
  ) {
    const { namespace: _namespace, ...reference } = spec.dataSourceRef;
    if (!same(spec.dataSource, reference)) causes.push(invalid(field, {}, 'must match dataSourceRef'));
  }
  if ((spec.volumeAttributesClassName ?? '') !== '') {
    const name = spec.volumeAttributesClassName ?? '';
    append(causes, causesFor(`${field}.volumeAttributesClassName`, name, dns1123SubdomainProblems(name)));
  }
  return causes;
}

function validateSource(field: string, { apiGroup, kind = '', name = '' }: DataSource): FieldError[] {
  const causes: FieldError[] = [];
  if (name === '') causes.push(required(`${field}.name`));
  if (kind === '') causes.push(required(`${field}.kind`));
  if ((apiGroup ?? '') === '' && kind !== 'PersistentVolumeClaim') {
    causes.push(invalid(field, kind, ''));
  } else if ((apiGroup ?? '') !== '') {
    append(causes, causesFor(`${field}.apiGroup`, apiGroup, dns1123SubdomainProblems(apiGroup ?? '')));
  }
  return causes;
}
