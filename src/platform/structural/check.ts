import { typeInvalid } from '#platform/base/field-error';
import type { Cursor } from './cursor.ts';

/** Compares a value with a schema and reports to the cursor, in the words of the API server. */
export type Check = (value: unknown, at: Cursor) => void;

/** The name that the API server has for the type of a value. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

export function wrongType(at: Cursor, expected: string, actual: string): void {
  const path = at.path();
  at.report(typeInvalid(path, actual, `${path} in body must be of type ${expected}: "${actual}"`));
}

/**
 * Reports a value of another type than that of a schema with a format: of numbers, booleans and objects the API server
 * compares the format, of which the latter two have none.
 */
export function wrongFormat(at: Cursor, type: string, format: string | undefined, value: unknown): void {
  if (format === undefined || typeof value === 'string' || Array.isArray(value) || value === null) {
    return wrongType(at, type, typeName(value));
  }
  wrongType(at, format, typeof value !== 'number' ? '' : Number.isInteger(value) ? 'int64' : 'float64');
}
