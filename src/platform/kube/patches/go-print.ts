import { goNumber, goQuote } from '#platform/base/go-value';
import type { Json } from '#platform/schema/json-schema';

/** Formats a JSON value as Go's %v formats maps and slices. Messages of the API server quote patches that way. */
export function goPrint(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number') return goNumber(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`;
  const object = value as { readonly [key: string]: Json };
  const keys = Object.keys(object).sort((a, b) => (a < b ? -1 : 1));
  return `map[${keys.map((key) => `${key}:${goPrint(object[key])}`).join(' ')}]`;
}

/** Formats a scalar as Go's %s does, which marks values that are not strings. */
export function goPrintString(value: Json): string {
  if (typeof value === 'string') return value;
  if (value === null) return '%!s(<nil>)';
  if (typeof value === 'boolean') return `%!s(bool=${value})`;
  if (typeof value === 'number') return `%!s(${Number.isInteger(value) ? 'int64' : 'float64'}=${goNumber(value)})`;
  return goPrint(value);
}

/** Returns the Go type into which a JSON value is decoded. */
export function goType(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** Formats a JSON value as Go's %#v does. */
export function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return goNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  const object = value as { readonly [key: string]: Json };
  const keys = Object.keys(object).sort((a, b) => (a < b ? -1 : 1));
  return `map[string]interface {}{${keys.map((key) => `${goQuote(key)}:${goSyntax(object[key] as Json)}`).join(', ')}}`;
}
