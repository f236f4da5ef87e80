import { typeInvalid } from '../base/field-error.ts';
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
