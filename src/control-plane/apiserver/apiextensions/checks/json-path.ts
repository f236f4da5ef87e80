import { type FieldError, invalid } from '#platform/base/field-error';

/** Of a path only its first character is looked at. */
export function validateJsonPath(path: string, field: string): FieldError[] {
  return path.startsWith('.') ? [] : [invalid(field, path, 'must be a simple json path starting with .')];
}
