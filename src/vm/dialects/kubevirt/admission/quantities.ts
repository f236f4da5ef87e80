import { type FieldError, invalid } from '#platform/base/field-error';
import { type Quantity, tryParseQuantity } from '#platform/base/quantity';

type QuantityInput = string | number;

const NOT_A_QUANTITY = 'must be a quantity, such as 500m, 2 or 4Gi';

/** Validates a quantity that must be positive. */
export function validateAmount(field: string, written: QuantityInput): FieldError[] {
  const amount = tryParseQuantity(written);
  if (amount === undefined) return [invalid(field, written, NOT_A_QUANTITY)];
  return amount.nano > 0n ? [] : [invalid(field, written, 'must be greater than zero')];
}

/** Validates a quantity that must not be negative. */
export function validateSize(field: string, written: QuantityInput): FieldError[] {
  const amount = tryParseQuantity(written);
  if (amount === undefined) return [invalid(field, written, NOT_A_QUANTITY)];
  return amount.nano >= 0n ? [] : [invalid(field, written, 'must be greater than or equal to 0')];
}

export function read(written: QuantityInput | undefined): Quantity | undefined {
  return written === undefined ? undefined : tryParseQuantity(written);
}
