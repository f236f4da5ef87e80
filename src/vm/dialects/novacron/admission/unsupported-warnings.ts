import { type Unsupported, type UnsupportedInput, unsupportedFields } from '#api/novacron/unsupported';
import { jsonEqual } from '#platform/base/json-equal';

/** Returns warnings for unsupported settings that a write adds. Such a VM is not started, and later reports that itself. */
export function unsupportedWarnings(object: UnsupportedInput, old: UnsupportedInput | undefined): string[] {
  const before = old === undefined ? [] : unsupportedFields(old);
  const isOld = ({ field, value }: Unsupported) =>
    before.some((each) => each.field === field && jsonEqual(each.value, value));
  return unsupportedFields(object)
    .filter((found) => !isOld(found))
    .map(({ field, instead }) => `${field} is not supported yet, and the VM will not start with it: ${instead}`);
}
