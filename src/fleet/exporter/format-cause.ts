import { type FieldError, fieldErrorBody, formatFieldError } from '#platform/base/field-error';

/** Formats a cause. One that concerns the whole request names no field. */
export function formatCause(cause: FieldError): string {
  return cause.field === '' ? fieldErrorBody(cause) : formatFieldError(cause);
}
