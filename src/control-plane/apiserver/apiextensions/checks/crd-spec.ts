import { append } from '#platform/base/append';
import { child, type FieldError, index, invalid, notSupported, required } from '#platform/base/field-error';
import { dns1035LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';
import { deepEqual } from '#platform/structural/deep-equal';
import type { Crd, CrdVersion } from '../crd.ts';
import { validateColumn } from './columns.ts';
import { validateConversion } from './conversion-spec.ts';
import { validateDeprecation } from './deprecation.ts';
import { goVersions } from './go-struct.ts';
import { validateNames } from './names.ts';
import type { RawSchema } from './raw-schema.ts';
import { validateSelectable } from './selectable-fields.ts';
import { type SharedParts, shareParts } from './shared-parts.ts';
import { validateSubresource } from './subresources.ts';
import { validateSchema } from './version-schema.ts';

/** Validates the spec of a CRD. Schemas that `old` has too were validated before. */
export function validateSpec(definition: Crd, old: Crd | undefined): FieldError[] {
  const { spec } = definition;
  const parts = shareParts(definition);
  const known = (schema: CrdVersion['schema']): boolean =>
    old?.spec.versions.some((version) => deepEqual(version.schema, schema)) === true;
  return [
    ...validateGroup(spec.group),
    ...validateScope(spec.scope),
    ...validateMissingSchema(spec.versions),
    ...parts.versions.flatMap((version, i) => validateVersion(version, parts, known, index('spec.versions', i))),
    ...validateVersionList(spec.versions, parts.versions),
    ...requiredNames(spec.names),
    ...validateNames(spec.names, 'spec.names'),
    ...validateShared(parts, known),
    ...validatePreserving(spec),
    ...(spec.conversion === undefined ? [] : validateConversion(spec.conversion, 'spec.conversion', old)),
  ];
}

type KnownSchema = (schema: CrdVersion['schema']) => boolean;

function validateGroup(group: string): FieldError[] {
  if (group === '') return [required('spec.group')];
  const problems = dns1123SubdomainProblems(group);
  if (problems.length > 0) return [invalid('spec.group', group, problems.join(','))];
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function validateScope(scope: string): FieldError[] {
  if (scope === '') return [required('spec.scope')];
  const scopes = ['Cluster', 'Namespaced'];
  return scopes.includes(scope) ? [] : [notSupported('spec.scope', scope, scopes)];
}

function validateMissingSchema(versions: readonly CrdVersion[]): FieldError[] {
  return versions.flatMap(({ schema }, i) =>
    schema?.openAPIV3Schema === undefined ? [required(child(index('spec.versions', i), 'schema.openAPIV3Schema'))] : [],
  );
}

function validateVersion(version: CrdVersion, { shared }: SharedParts, known: KnownSchema, path: string): FieldError[] {
  const { name, schema, subresources, additionalPrinterColumns, selectableFields = [] } = version;
  const problems = dns1035LabelProblems(name);
  const causes = problems.length === 0 ? [] : [invalid(child(path, 'name'), name, problems.join(','))];
  const hasStatus = (subresources ?? shared.subresources)?.status !== undefined;
  const schemaPath = child(path, 'schema');
  append(
    causes,
    validateDeprecation(version, path),
    known(schema) ? [] : validateSchema(schema, hasStatus, schemaPath),
    validateSubresource(subresources, child(path, 'subresources')),
    validateColumn(additionalPrinterColumns, child(path, 'additionalPrinterColumns')),
  );
  if (selectableFields.length === 0) return causes;
  const selectablePath = child(path, 'selectableFields');
  const root = schema?.openAPIV3Schema;
  if (root === undefined) {
    const detail = 'may only be set when `version.schema.openAPIV3Schema` is not included';
    return [...causes, invalid(selectablePath, '', detail)];
  }
  return [...causes, ...validateSelectable(selectableFields, root as RawSchema, selectablePath)];
}

/** Validates the list of versions as a whole. */
function validateVersionList(versions: readonly CrdVersion[], printed: readonly CrdVersion[]): FieldError[] {
  const refuse = (detail: string): FieldError => invalid('spec.versions', goVersions(printed), detail);
  const causes: FieldError[] = [];
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    causes.push(refuse('must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    causes.push(refuse('must have exactly one version marked as storage version'));
  }
  const first = versions[0]?.name ?? '';
  const problems = first === '' ? [] : dns1035LabelProblems(first);
  if (problems.length > 0) causes.push(invalid('spec.version', first, problems.join(',')));
  return causes;
}

function requiredNames(names: Partial<Crd['spec']['names']>): FieldError[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((name) => !names[name])
    .map((name) => required(`spec.names.${name}`));
}

function validateShared({ shared, versions }: SharedParts, known: KnownSchema): FieldError[] {
  const { schema, subresources, additionalPrinterColumns, selectableFields = [] } = shared;
  const hasStatus = [shared, ...versions].some((each) => each.subresources?.status !== undefined);
  const causes = [
    ...(known(schema) ? [] : validateSchema(schema, hasStatus, 'spec.validation')),
    ...validateSubresource(subresources, 'spec.subresources'),
    ...validateColumn(additionalPrinterColumns, 'spec.additionalPrinterColumns'),
  ];
  if (selectableFields.length === 0) return causes;
  const root = schema?.openAPIV3Schema;
  if (root === undefined) {
    return [...causes, invalid('spec.selectableFields', '', 'may only be set when validations.schema is included')];
  }
  return [...causes, ...validateSelectable(selectableFields, root as RawSchema, 'spec.selectableFields')];
}

function validatePreserving({ preserveUnknownFields, conversion }: Crd['spec']): FieldError[] {
  if (preserveUnknownFields !== true || (conversion?.strategy ?? 'None') === 'None') return [];
  const detail = 'must be None if spec.preserveUnknownFields is true';
  return [invalid('spec.conversion.strategy', conversion?.strategy, detail)];
}
