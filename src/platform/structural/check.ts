import { typeInvalid } from '#platform/base/field-error';
import type { Cursor } from './cursor.ts';

/** Validates a value against a schema and reports to the cursor, in the words of the API server. */
export type Check = (value: unknown, at: Cursor) => void;

/** Returns the API server's name for the type of a value. */
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
 * Reports a value whose type differs from that of a schema with a format. For numbers, booleans and objects the API
 * server compares the format, and the latter two have none.
 */
export function wrongFormat(at: Cursor, type: string, format: string | undefined, value: unknown): void {
  if (format === undefined || typeof value === 'string' || Array.isArray(value) || value === null) {
    return wrongType(at, type, typeName(value));
  }
  wrongType(at, format, typeof value !== 'number' ? '' : Number.isInteger(value) ? 'int64' : 'float64');
}
