import { type FieldError, invalid } from '#platform/base/field-error';
import { goJson } from '#platform/base/go-value';
import { dns1035LabelProblems } from '#platform/base/names';
import { ownValue } from '#platform/base/own-value';
import type { JsonSchema } from '#platform/schema/json-schema';
import { validateMeta } from '#platform/structural/object-meta';
import { decodeObjectMeta } from '../builtin-schema/decode.ts';

type Holder = Record<string, unknown>;
type Visit = (resource: Holder, path: string) => void;

/** Visits every object inside another that the schema marks as an embedded resource. */
export type EmbeddedResources = (value: unknown, visit: Visit, path?: string) => void;

/** Returns undefined if a schema has no embedded resource, as is the case for most. */
export function embeddedResources(schema: JsonSchema, root = true): EmbeddedResources | undefined {
  const here = !root && schema['x-kubernetes-embedded-resource'] === true;
  const { properties = {}, additionalProperties, items } = schema;
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const walk = embeddedResources(field, false);
    return walk === undefined ? [] : [[name, walk] as const];
  });
  const values = typeof additionalProperties === 'object' ? embeddedResources(additionalProperties, false) : undefined;
  const entries = items === undefined ? undefined : embeddedResources(items, false);
  if (!here && fields.length === 0 && values === undefined && entries === undefined) return undefined;
  return (value, visit, path = '') => {
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) entries?.(item, visit, `${path}[${i}]`);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const holder = value as Holder;
    const at = (name: string) => (path === '' ? name : `${path}.${name}`);
    if (here) visit(holder, path);
    for (const [name, walk] of fields) walk(ownValue(holder, name), visit, at(name));
    if (values !== undefined) for (const name of Object.keys(holder)) values(holder[name], visit, `${path}[${name}]`);
  };
}

/** Decodes the metadata of an embedded resource as for those at the root. `problem` is the reason if that fails. */
export function readEmbedded(
  resource: Holder,
  path: string,
): { readonly unknown: string[]; readonly problem?: string } {
  for (const field of ['apiVersion', 'kind']) {
    const value = resource[field];
    if (value === undefined || typeof value === 'string') continue;
    return { unknown: [], problem: `${path}.${field}: Invalid value: ${goJson(value)}: must be a string` };
  }
  const { metadata } = resource;
  if (metadata === undefined) return { unknown: [] };
  const at = `${path}.metadata`;
  const { object, unknown, error } = decodeObjectMeta(metadata);
  if (error !== undefined) return { unknown: [], problem: `${at}: Invalid value: ${goJson(metadata)}: ${error}` };
  resource['metadata'] = object;
  return { unknown: unknown.map((field) => `${at}.${field}`) };
}

/** Validates what every resource must have, wherever it is embedded. */
export function validateEmbedded(resource: Holder, path: string): FieldError[] {
  const { apiVersion, kind } = resource;
  const metadata = (resource['metadata'] ?? {}) as Metadata;
  const causes: FieldError[] = [];
  if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2) {
    causes.push(invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  }
  if (typeof kind === 'string' && kind !== '') {
    const [problem] = dns1035LabelProblems(kind.toLowerCase());
    const detail = `may have mixed case, but should otherwise match: ${problem}`;
    if (problem !== undefined) causes.push(invalid(`${path}.kind`, kind, detail));
  }
  // Any name is allowed, even none.
  for (const cause of validateMeta({ ...metadata, name: 'x' }, { nameProblems: () => [] })) {
    causes.push({ ...cause, field: `${path}.${cause.field}` });
  }
  return [...causes, ...validateOperation(`${path}.metadata.managedFields`, metadata)];
}

interface Metadata {
  readonly managedFields?: readonly { readonly operation?: string }[];
}

function validateOperation(field: string, { managedFields = [] }: Metadata): FieldError[] {
  return managedFields.flatMap(({ operation = '' }, i) =>
    operation === 'Apply' || operation === 'Update'
      ? []
      : [invalid(`${field}[${i}].operation`, operation, 'must be `Apply` or `Update`')],
  );
}
