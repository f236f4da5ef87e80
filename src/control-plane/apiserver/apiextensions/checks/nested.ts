import { append } from '#platform/base/append';
import { child, type FieldError, forbidden, index, invalid, key } from '#platform/base/field-error';
import { patternProblem } from '#platform/structural/pattern';
import { itemsOf, type RawSchema } from './raw-schema.ts';

const EMPTY = 'must be empty to be structural';
const FALSE = 'must be false to be structural';
const UNDEFINED = 'must be undefined to be structural';

/** Keywords that specify the structure of a value, which are allowed only in the schema around allOf and the like. */
const STRUCTURE: readonly (readonly [keyword: string, detail: string, isSet: (value: unknown) => boolean])[] = [
  ['type', EMPTY, (value) => value !== ''],
  ['additionalProperties', UNDEFINED, (value) => value !== false],
  ['default', UNDEFINED, (value) => value !== null],
  ['title', EMPTY, (value) => value !== ''],
  ['description', EMPTY, (value) => value !== ''],
  ['nullable', FALSE, (value) => value === true],
  ['externalDocs', UNDEFINED, () => true],
  ['x-kubernetes-preserve-unknown-fields', FALSE, (value) => value === true],
  ['x-kubernetes-embedded-resource', FALSE, (value) => value === true],
  ['x-kubernetes-int-or-string', FALSE, (value) => value === true],
  ['x-kubernetes-list-map-keys', EMPTY, (value) => (value as readonly unknown[]).length > 0],
  ['x-kubernetes-list-type', UNDEFINED, () => true],
  ['x-kubernetes-map-type', UNDEFINED, () => true],
  ['x-kubernetes-validations', EMPTY, (value) => (value as readonly unknown[]).length > 0],
];

/** Validates a schema inside allOf, anyOf, oneOf or not. */
function validateNested(schema: RawSchema, path: string, stated?: RawSchema): FieldError[] {
  const causes = validatePart(schema, path, stated);
  const items = itemsOf(schema);
  if (items !== undefined) append(causes, validateNested(items, child(path, 'items')));
  const fields = Object.entries(schema.properties ?? {});
  for (const [name, field] of fields) append(causes, validateNested(field, key(child(path, 'properties'), name)));
  for (const [keyword, detail, isSet] of STRUCTURE) {
    const value = schema[keyword];
    if (value !== undefined && isSet(value)) causes.push(forbidden(child(path, keyword), detail));
  }
  if (schema.properties?.['metadata'] !== undefined) {
    const detail = 'must not be specified in a nested context';
    causes.push(forbidden(key(child(path, 'properties'), 'metadata'), detail));
  }
  return causes;
}

/** Restricts schemas in allOf, anyOf, oneOf and not to value validations, and requires patterns to compile. */
export function validatePart(schema: RawSchema, path: string, stated?: RawSchema): FieldError[] {
  const causes: FieldError[] = [];
  if (!isIntOrString(stated?.anyOf)) {
    for (const [i, part] of (schema.anyOf ?? []).entries()) {
      append(causes, validateNested(part, index(child(path, 'anyOf'), i)));
    }
  }
  for (const [i, part] of (schema.allOf ?? []).entries()) {
    const skips = i === 0 && stated !== undefined && isIntOrString(part.anyOf);
    append(causes, validateNested(part, index(child(path, 'allOf'), i), skips ? part : undefined));
  }
  for (const [i, part] of (schema.oneOf ?? []).entries()) {
    append(causes, validateNested(part, index(child(path, 'oneOf'), i)));
  }
  if (schema.not !== undefined) append(causes, validateNested(schema.not, child(path, 'not')));
  const problem = patternProblem(schema.pattern ?? '');
  if (problem !== undefined) causes.push(invalid(child(path, 'pattern'), schema.pattern, problem));
  return causes;
}

/** Reports whether anyOf is exactly an integer or a string in this order, the only case in which it may have types. */
function isIntOrString(parts: readonly RawSchema[] | undefined): boolean {
  return JSON.stringify(parts) === '[{"type":"integer"},{"type":"string"}]';
}
