import { type FieldError, invalid } from '#platform/base/field-error';
import { exceedsBytes, utf8Length } from '#platform/base/utf8';

const MAX_KIB = 64;

/** Validates the size of inline cloud-init. The text may hold secrets, so the message does not repeat it. */
export function validateCloudInitText(field: string, text: string | undefined): FieldError[] {
  if (text === undefined || !exceedsBytes(text, MAX_KIB * 1024)) return [];
  const detail = `is ${utf8Length(text)} bytes, the maximum is ${MAX_KIB} KiB: let the guest download the rest`;
  return [invalid(field, undefined, detail)];
}
