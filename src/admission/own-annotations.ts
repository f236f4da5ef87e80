import type { ClaimWords } from '../api/disk/claimed-disk.ts';
import { type FieldError, key, notSupported } from '../base/field-error.ts';

type Words = Readonly<Record<string, string>>;

const choicesOf = ({ retain, accessMode }: ClaimWords): readonly (readonly [string, readonly string[]])[] => [
  [retain, ['true', 'false']],
  [accessMode, ['ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']],
];

/**
 * Annotations that say how the disks of a machine are kept. A word that nobody understands would be taken for the usual,
 * which may cost the disks; what stands already is not looked at again.
 */
export function checkOwnAnnotations(
  claims: ClaimWords,
  field: string,
  annotations: Words = {},
  before: Words = {},
): FieldError[] {
  return choicesOf(claims).flatMap(([name, values]) => {
    const value = annotations[name];
    if (value === undefined || value === before[name] || values.includes(value)) return [];
    return [notSupported(key(field, name), value, values)];
  });
}
