import { parseDuration } from '#platform/base/duration';
import { type FieldError, invalid } from '#platform/base/field-error';

/** Returns a duration in milliseconds, or undefined if it is invalid. */
export function milliseconds(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}

/** Validates that a time is not after the end of the scenario. An omitted time is valid. */
export function validateWithin(field: string, text: string | undefined, end: string): FieldError[] {
  if (text === undefined) return [];
  const time = milliseconds(text);
  if (time === undefined) return [invalid(field, text, 'must be a duration such as 30s or 1h30m')];
  return time > (milliseconds(end) ?? Number.POSITIVE_INFINITY)
    ? [invalid(field, text, `must not be after the end of the scenario, ${end}`)]
    : [];
}

/** Reports whether the first time is before the second. False if either is invalid. */
export function isBefore(a: string, b: string): boolean {
  const [left, right] = [milliseconds(a), milliseconds(b)];
  return left !== undefined && right !== undefined && left < right;
}
