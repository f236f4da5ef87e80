import type { CelRule } from '#platform/schema/json-schema';

/** Returns a rule for the object that holds `field`: once written, the field stays as it is, present or absent. */
export function immutable(field: string, message: string): CelRule {
  return {
    rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    message,
    reason: 'FieldValueForbidden',
    fieldPath: `.${field}`,
  };
}
