import { type FieldError, invalid } from '#platform/base/field-error';

/** Checks a number of machines or a share of them; the schema's pattern sees to text, but not to numbers. */
export function validateCountOrPercent(field: string, value: string | number | undefined): FieldError[] {
  return typeof value === 'number' && value < 0 ? [invalid(field, value, 'must be 0 or more, or a percentage')] : [];
}
