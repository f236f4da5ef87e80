import { type FieldError, invalid, notSupported, tooLong, typeInvalid } from '#platform/base/field-error';
import type { JsonSchema } from '#platform/schema/json-schema';
import { type Check, wrongFormat, wrongType } from './check.ts';
import type { Cursor } from './cursor.ts';
import { FORMATS } from './formats.ts';
import { pattern as compilePattern } from './pattern.ts';

/** Counts characters as Go counts runes. A surrogate pair is one, so there are at least half as many as units. */
function runeCount(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) pairs++;
  return text.length - pairs;
}

function bad(at: Cursor, value: unknown, should: string): FieldError {
  const path = at.path();
  return invalid(path, value, `${path} in body should ${should}`);
}

export function checkString(schema: JsonSchema): Check {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format } = schema;
  const matches = schema.pattern === undefined ? undefined : compilePattern(schema.pattern);
  const wellFormed = format === undefined ? undefined : FORMATS.get(format);
  return (value, at) => {
    if (typeof value !== 'string') {
      // The API server accepts any list in place of a string with a format.
      if (wellFormed !== undefined && Array.isArray(value)) return;
      return wrongFormat(at, 'string', wellFormed === undefined ? undefined : format, value);
    }
    if (value.length > maxLength && runeCount(value) > maxLength) at.report(tooLong(at.path(), maxLength));
    else if (value.length < 2 * minLength && runeCount(value) < minLength) {
      at.report(bad(at, value, `be at least ${minLength} chars long`));
    } else if (matches !== undefined && !matches(value)) {
      at.report(bad(at, value, `match '${schema.pattern}'`));
    }
    if (wellFormed !== undefined && !wellFormed(value)) {
      const path = at.path();
      at.report(typeInvalid(path, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`));
    }
  };
}

export function checkNumber(schema: JsonSchema): Check {
  const { minimum, maximum, multipleOf } = schema;
  const above = schema.exclusiveMinimum === true;
  const below = schema.exclusiveMaximum === true;
  return (value, at) => {
    if (typeof value !== 'number') return wrongFormat(at, 'number', schema.format, value);
    if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) {
      at.report(bad(at, value, `be a multiple of ${multipleOf}`));
    }
    if (maximum !== undefined && (below ? value >= maximum : value > maximum)) {
      at.report(bad(at, value, `be less than ${below ? '' : 'or equal to '}${maximum}`));
    }
    if (minimum !== undefined && (above ? value <= minimum : value < minimum)) {
      at.report(bad(at, value, `be greater than ${above ? '' : 'or equal to '}${minimum}`));
    }
  };
}

const MAX_BY_FORMAT: ReadonlyMap<string, number> = new Map([
  ['int32', 2 ** 31],
  ['int64', 2 ** 63],
]);

export function checkInteger(schema: JsonSchema): Check {
  const bounds = checkNumber(schema);
  const { format } = schema;
  const limit = format === undefined ? 2 ** 63 : (MAX_BY_FORMAT.get(format) ?? 2 ** 63);
  const described = format === undefined ? 'integer (default format)' : `integer with format ${format}`;
  return (value, at) => {
    if (typeof value !== 'number') return wrongFormat(at, 'integer', format, value);
    const whole = Number.isInteger(value) && Math.abs(value) < 2 ** 63;
    if (!whole) {
      if (format === undefined) wrongType(at, 'integer', 'number');
      else wrongType(at, format, 'float64');
    }
    if (!whole || value >= limit || value < -limit) {
      at.report(invalid('', '', `Checked value must be of type ${described} in ${at.path()}`));
    }
    bounds(value, at);
  };
}

export function checkEnum(schema: JsonSchema): Check | undefined {
  if (schema.enum === undefined) return undefined;
  const allowed = new Set(schema.enum.map((value) => JSON.stringify(value)));
  const names = schema.enum.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const strings = new Set(schema.enum);
  return (value, at) => {
    if (typeof value === 'string' ? strings.has(value) : allowed.has(JSON.stringify(value))) return;
    at.report(notSupported(at.path(), value, names));
  };
}
