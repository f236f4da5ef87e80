import { type FieldError, tooLong } from '#platform/base/field-error';
import { exceedsBytes } from '#platform/base/utf8';

const MAX_BYTES = 65_536;

/** Prefixes by which cloud-init recognizes its input. */
const MARKERS = [
  '#cloud-config',
  '#!',
  '#include',
  '#cloud-boothook',
  '#part-handler',
  '## template:',
  'Content-Type:',
  'MIME-Version:',
];

export function validateUserData(field: string, userData = ''): FieldError[] {
  return exceedsBytes(userData, MAX_BYTES) ? [tooLong(field, MAX_BYTES)] : [];
}

export function userDataWarnings(field: string, userData = ''): string[] {
  const known = userData === '' || MARKERS.some((marker) => userData.startsWith(marker));
  return known ? [] : [`${field}: cloud-init will ignore it: it begins with none of ${MARKERS.join(', ')}`];
}
