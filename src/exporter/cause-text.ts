import { type FieldError, fieldErrorBody, formatFieldError } from '../base/field-error.ts';

/** A cause in words; one that is about the whole request names no field. */
export function causeText(cause: FieldError): string {
  return cause.field === '' ? fieldErrorBody(cause) : formatFieldError(cause);
}
