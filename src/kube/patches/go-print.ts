import type { Json } from '../../api/json-schema.ts';
import { goNumber } from '../../base/go-value.ts';

/** Prints a JSON value as Go's %v prints maps and slices; messages of the API server quote patches that way. */
export function goPrint(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number') return goNumber(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`;
  const object = value as { readonly [key: string]: Json };
  const keys = Object.keys(object).sort((a, b) => (a < b ? -1 : 1));
  return `map[${keys.map((key) => `${key}:${goPrint(object[key])}`).join(' ')}]`;
}

/** Prints a scalar as Go's %s does, which marks whatever is not a string. */
export function goPrintString(value: Json): string {
  if (typeof value === 'string') return value;
  if (value === null) return '%!s(<nil>)';
  if (typeof value === 'boolean') return `%!s(bool=${value})`;
  if (typeof value === 'number') return `%!s(${Number.isInteger(value) ? 'int64' : 'float64'}=${goNumber(value)})`;
  return goPrint(value);
}
