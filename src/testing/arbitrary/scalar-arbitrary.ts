import fc from 'fast-check';
import type { JsonSchema } from '#platform/schema/json-schema';

/** Generates values of a schema without fields and items. */
export function scalarArbitrary(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema['x-kubernetes-int-or-string'] === true) return fc.oneof(integers(schema), strings(schema));
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integers(schema);
    case 'number':
      return numbers(schema);
    case 'string':
      return strings(schema);
    case 'object':
      return schema['x-kubernetes-preserve-unknown-fields'] === true ? ANY_OBJECT : NO_FIELDS;
    default:
      return ANY_VALUE;
  }
}

const ANY_VALUE = fc.jsonValue({ maxDepth: 2 });
const NO_FIELDS = fc.constant({});
const ANY_OBJECT = fc.dictionary(fc.string(), ANY_VALUE, { maxKeys: 4 });

function integers({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, format }: JsonSchema): fc.Arbitrary<number> {
  const [min, max] =
    format === 'int32' ? [-(2 ** 31), 2 ** 31 - 1] : [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return fc.integer({
    min: minimum === undefined ? min : minimum + (exclusiveMinimum === true ? 1 : 0),
    max: maximum === undefined ? max : maximum - (exclusiveMaximum === true ? 1 : 0),
  });
}

function numbers({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): fc.Arbitrary<number> {
  return fc.double({
    noNaN: true,
    noDefaultInfinity: true,
    ...(minimum === undefined ? {} : { min: minimum, minExcluded: exclusiveMinimum === true }),
    ...(maximum === undefined ? {} : { max: maximum, maxExcluded: exclusiveMaximum === true }),
  });
}

const INSTANT = fc
  .date({ noInvalidDate: true, min: new Date('1970-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') })
  .chain((date) => fc.constantFrom(date.toISOString(), `${date.toISOString().slice(0, 19)}Z`));

function strings({ pattern, format, minLength = 0, maxLength = 1000 }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time') return INSTANT;
  if (pattern !== undefined) {
    return fc
      .stringMatching(new RegExp(pattern))
      .filter((text) => text.length >= minLength && text.length <= maxLength);
  }
  return fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, minLength + 30) });
}
