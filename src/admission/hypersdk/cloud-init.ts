import { type FieldError, invalid } from '../../base/field-error.ts';

const MAX_KIB = 64;
/** The most bytes that one unit of a JavaScript string takes in UTF-8. */
const BYTES_PER_UNIT = 3;

/** Checks the size of inline cloud-init; the text may hold secrets, so it is not repeated in the message. */
export function checkCloudInitText(field: string, text: string | undefined): FieldError[] {
  if (text === undefined || text.length * BYTES_PER_UNIT <= MAX_KIB * 1024) return [];
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= MAX_KIB * 1024) return [];
  const detail = `is ${bytes} bytes and may be ${MAX_KIB} KiB at most: put the rest where the guest can fetch it`;
  return [invalid(field, undefined, detail)];
}
