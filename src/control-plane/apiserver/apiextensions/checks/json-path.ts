import { type FieldError, invalid } from '#platform/base/field-error';

/** Checks only the first character of a path. */
export function validateJsonPath(path: string, field: string): FieldError[] {
  return path.startsWith('.') ? [] : [invalid(field, path, 'must be a simple json path starting with .')];
}
