import { type FieldError, invalid } from '#platform/base/field-error';

/** Validates a number or percentage of VMs. The schema's pattern covers text, but not numbers. */
export function validateCountOrPercent(field: string, value: string | number | undefined): FieldError[] {
  return typeof value === 'number' && value < 0 ? [invalid(field, value, 'must be 0 or more, or a percentage')] : [];
}
