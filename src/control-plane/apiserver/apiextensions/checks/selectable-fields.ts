import { child, duplicate, type FieldError, index, invalid, required, tooMany } from '#platform/base/field-error';
import { ownValue } from '#platform/base/own-value';
import { mapValuesOf, type RawSchema } from './raw-schema.ts';

const MAX_FIELDS = 8;
const TYPES = new Set(['string', 'boolean', 'integer']);

/** Validates the fields of field selectors. */
export function validateSelectable(
  fields: readonly { readonly jsonPath: string }[],
  schema: RawSchema,
  path: string,
): FieldError[] {
  const causes: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const at = child(index(path, i), 'jsonPath');
    if (!jsonPath) {
      causes.push(required(at));
      continue;
    }
    const found = follow(jsonPath, schema);
    if ('problem' in found) {
      causes.push(invalid(at, jsonPath, `is an invalid path: ${found.problem}`));
      continue;
    }
    if (found.steps[0] === 'metadata') causes.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
    if (!TYPES.has(found.schema.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      causes.push(invalid(at, jsonPath, detail));
    }
    const name = found.steps.join('.');
    if (seen.has(name)) causes.push(duplicate(at, jsonPath));
    seen.add(name);
  }
  if (seen.size > MAX_FIELDS) causes.push(tooMany(path, seen.size, MAX_FIELDS));
  return causes;
}

type Found = { readonly schema: RawSchema; readonly steps: readonly string[] } | { readonly problem: string };

/** Resolves a path of plain names. `problem` describes a failure in the API server's words. */
function follow(jsonPath: string, root: RawSchema): Found {
  const tokens = jsonPath.match(/[.[\]]|[^.[\]]+/g) ?? [];
  const steps: string[] = [];
  let schema: RawSchema | undefined = root;
  for (let i = 0; i < tokens.length; i += 2) {
    if (tokens[i] === '[') return { problem: 'array notation is not allowed' };
    if (tokens[i] !== '.') return { problem: `expected [ or . but got: ${tokens[i]}` };
    const name = tokens[i + 1];
    if (name === undefined) return { problem: 'unexpected end of JSON path' };
    const inner: RawSchema | undefined =
      schema?.properties === undefined ? schema && mapValuesOf(schema) : ownValue(schema.properties, name);
    if (inner === undefined) return { problem: 'does not refer to a valid field' };
    schema = inner;
    steps.push(name);
  }
  return { schema: schema ?? root, steps };
}
