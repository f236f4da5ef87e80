import { append } from '#platform/base/append';
import { child, type FieldError, index, key, required } from '#platform/base/field-error';
import { ownValue } from '#platform/base/own-value';
import { itemsOf, type RawSchema } from './raw-schema.ts';

/**
 * Requires fields in allOf and the like at the root to be in the schema itself. The API server checks only the root, so
 * deeper ones pass.
 */
export function validateCompleteness(schema: RawSchema, path: string): FieldError[] {
  return missingIn(schema, schema, path, path);
}

/** Searches the fields of `stated` in `schema`, which is at `path`. */
function missingIn(stated: RawSchema, schema: RawSchema, path: string, statedPath: string): FieldError[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = stated;
  const parts: [RawSchema, string][] = not === undefined ? [] : [[not, child(statedPath, 'not')]];
  for (const [name, list] of Object.entries({ allOf, anyOf, oneOf })) {
    for (const [i, part] of list.entries()) parts.push([part, index(child(statedPath, name), i)]);
  }
  return parts.flatMap(([part, partPath]) => missingFrom(part, schema, path, partPath));
}

function missingFrom(part: RawSchema, schema: RawSchema | undefined, path: string, partPath: string): FieldError[] {
  if (schema === undefined) return [required(path, `because it is defined in ${partPath}`)];
  const causes = missingIn(part, schema, path, partPath);
  const items = itemsOf(part);
  if (items !== undefined) {
    append(causes, missingFrom(items, itemsOf(schema), child(path, 'items'), child(partPath, 'items')));
  }
  for (const [name, field] of Object.entries(part.properties ?? {})) {
    const at = (place: string): string => key(child(place, 'properties'), name);
    append(causes, missingFrom(field, ownValue(schema.properties ?? {}, name), at(path), at(partPath)));
  }
  return causes;
}
