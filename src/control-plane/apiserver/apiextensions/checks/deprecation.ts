import { child, type FieldError, invalid } from '#platform/base/field-error';
import { exceedsBytes, utf8Length } from '#platform/base/utf8';
import type { CrdVersion } from '../crd.ts';
import { goPointer } from './go-struct.ts';

const MAX_WARNING_LENGTH = 256;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Validates the deprecation warning, which must be short because it is sent in a header. */
export function validateDeprecation({ deprecated, deprecationWarning }: CrdVersion, path: string): FieldError[] {
  if (deprecationWarning === undefined) return [];
  const refuse = (detail: string): FieldError =>
    invalid(child(path, 'deprecationWarning'), goPointer(deprecationWarning), detail);
  if (deprecated !== true) return [refuse('can only be set for deprecated versions')];
  const causes: FieldError[] = [];
  if (exceedsBytes(deprecationWarning, MAX_WARNING_LENGTH)) causes.push(refuse('must be <= 256 characters long'));
  if (deprecationWarning === '') causes.push(refuse('must not be an empty string'));
  const chars = [...deprecationWarning];
  const hidden = chars.findIndex((char) => !PRINTABLE.test(char));
  if (hidden >= 0) {
    const bytes = utf8Length(chars.slice(0, hidden).join(''));
    const what = 'must only contain printable UTF-8 characters; non-printable character found';
    causes.push(refuse(`${what} at index ${bytes}`));
  }
  return causes;
}
