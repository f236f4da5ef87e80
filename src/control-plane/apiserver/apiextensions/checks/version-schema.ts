import { append } from '#platform/base/append';
import { child, type FieldError, forbidden, invalid } from '#platform/base/field-error';
import type { JsonSchema } from '#platform/schema/json-schema';
import { validateRules } from '#platform/structural/check-rules';
import type { CrdVersion } from '../crd.ts';
import { validateDefault } from './defaults.ts';
import { FIELD_NAMES, goSchema } from './go-struct.ts';
import { validateKeyword } from './keywords.ts';
import { type RawSchema, unsupportedKeyword } from './raw-schema.ts';
import { validateStructural } from './structural.ts';

/** Validates the schema of a version. `hasStatus` is set if the status is a subresource. */
export function validateSchema(schema: CrdVersion['schema'], hasStatus: boolean, path: string): FieldError[] {
  const root = schema?.openAPIV3Schema as RawSchema | undefined;
  if (root === undefined) return [];
  const at = child(path, 'openAPIV3Schema');
  const causes = hasStatus ? validateRoot(root, at) : [];
  if (root.nullable === true) causes.push(forbidden(child(at, 'nullable'), 'nullable cannot be true at the root'));
  const unsupported = unsupportedKeyword(root);
  const shape = unsupported === undefined ? validateShape(root, at) : [];
  const keywords = validateKeyword(root, at);
  append(causes, shape, keywords, validateRule(root, at, unsupported !== undefined || shape.length > 0, keywords));
  if (causes.length === 0 && unsupported !== undefined) {
    causes.push(invalid(at, '', `OpenAPIV3Schema ${unsupported}`));
  }
  return causes;
}

function validateShape(root: RawSchema, path: string): FieldError[] {
  const structural = validateStructural(root, path);
  return structural.length > 0 ? structural : validateDefault(root, path);
}

/**
 * Validates rules. Errors in their form are always reported, but expressions are compiled only if the schema is valid.
 */
function validateRule(
  root: RawSchema,
  path: string,
  unsound: boolean,
  keywords: readonly FieldError[],
): readonly FieldError[] {
  if (unsound) return [];
  const causes = validateRules(root as JsonSchema, path);
  if (keywords.length === 0) return causes;
  return causes.filter(({ field }) => {
    const owner = field.slice(0, field.lastIndexOf('.x-kubernetes-validations'));
    return !keywords.some((cause) => cause.field.startsWith(`${owner}.`));
  });
}

/** Keywords allowed at the root with a status subresource. Others would be lost when the status is validated alone. */
const ALLOWED_WITH_STATUS = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

function validateRoot(root: RawSchema, path: string): FieldError[] {
  for (const [keyword, field] of FIELD_NAMES) {
    const value = root[keyword];
    if (value === undefined || value === false || value === '') continue;
    if (keyword === 'type' && value !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(child(path, 'type'), value, detail)];
    }
    if (ALLOWED_WITH_STATUS.includes(field)) continue;
    const detail = `only [${ALLOWED_WITH_STATUS.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [invalid(path, goSchema(root), detail)];
  }
  return [];
}
