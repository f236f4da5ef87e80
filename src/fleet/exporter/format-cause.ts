import { type FieldError, fieldErrorBody, formatFieldError } from '#platform/base/field-error';

/** A cause in words; one that is about the whole request names no field. */
export function formatCause(cause: FieldError): string {
  return cause.field === '' ? fieldErrorBody(cause) : formatFieldError(cause);
}
