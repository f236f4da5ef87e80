import type { ClaimKeys } from '#api/disk/claimed-disk';
import { ALL_CLAIM_WORDS } from '#api/kinds';
import { type FieldError, key, notSupported } from '#platform/base/field-error';

type Words = Readonly<Record<string, string>>;

const choicesOf = ({ retain, accessMode }: ClaimKeys): readonly (readonly [string, readonly string[]])[] => [
  [retain, ['true', 'false']],
  [accessMode, ['ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']],
];

/**
 * Validates changed annotations that define how disks are retained. An unknown value would count as the default, which
 * may lose the disks.
 */
export function validateOwnAnnotations(
  claims: ClaimKeys,
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

/**
 * Returns warnings for annotations of another group, which are ignored although their author relies on retained disks.
 */
export function foreignAnnotations(
  claims: ClaimKeys,
  field: string,
  annotations: Words = {},
  before: Words = {},
): string[] {
  return ALL_CLAIM_WORDS.flatMap((others) => {
    if (others === claims) return [];
    return (['retain', 'accessMode'] as const)
      .filter((word) => annotations[others[word]] !== undefined && before[others[word]] !== annotations[others[word]])
      .map((word) => `${key(field, others[word])} is ignored: VMs of this group use ${claims[word]}`);
  });
}
