import { parseDuration } from '#platform/base/duration';
import { type FieldError, invalid } from '#platform/base/field-error';
import { explainBytes, isTooFewBytes } from '#platform/base/intended-bytes';
import { tryParseQuantity } from '#platform/base/quantity';

/** Kubernetes counts in 63 bits, and caps anything larger. */
const COUNTLESS = (2n ** 63n - 1n) * 1_000_000_000n;

/** Validates that a quantity is well-formed, positive and countable. An omitted field is valid. */
export function positiveQuantity(field: string, value: string | number | undefined): FieldError[] {
  if (value === undefined) return [];
  const quantity = tryParseQuantity(value);
  if (quantity === undefined) return [invalid(field, value, 'must be a quantity such as 20Gi')];
  if (quantity.nano >= COUNTLESS) return [invalid(field, value, 'must be less than 8Ei')];
  return quantity.nano > 0n ? [] : [invalid(field, value, 'must be greater than zero')];
}

/** Validates an amount of memory or disk, which nobody means to be less than a megabyte. An omitted field is valid. */
export function plausibleBytes(
  field: string,
  value: string | number | undefined,
  what: 'memory' | 'disk',
): FieldError[] {
  const causes = positiveQuantity(field, value);
  if (value === undefined || causes.length > 0) return causes;
  const amount = tryParseQuantity(value);
  return amount !== undefined && isTooFewBytes(amount) ? [tooFewBytes(field, value, what)] : [];
}

/** Reports an amount of memory or disk whose unit must be a mistake. */
export function tooFewBytes(field: string, value: string | number, what: 'memory' | 'disk'): FieldError {
  const explanation = explainBytes(value, what);
  return invalid(field, value, `must be greater than or equal to 1M${explanation === '' ? '' : `: ${explanation}`}`);
}

/** Validates that a duration is well-formed and positive. An omitted field is valid. */
export function positiveDuration(field: string, value: string | undefined): FieldError[] {
  if (value === undefined) return [];
  const milliseconds = milli(value);
  if (milliseconds === undefined) return [invalid(field, value, 'must be a duration such as 30s or 1h30m')];
  return milliseconds > 0 ? [] : [invalid(field, value, 'must be greater than zero')];
}

function milli(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}

/** Reports whether the first quantity is less than the second. False if either is missing or invalid. */
export function isLess(a: string | number | undefined, b: string | number | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  const left = tryParseQuantity(a);
  const right = tryParseQuantity(b);
  return left !== undefined && right !== undefined && left.nano < right.nano;
}
