import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KINDS } from '#api/kinds';
import { type FieldError, formatFieldError } from '#platform/base/field-error';
import type { JsonSchema } from '#platform/schema/json-schema';
import type { Kind } from '#platform/schema/kind';
import { compileSchema } from '#platform/structural/structural-schema';
import type { HintedPart } from '#testing/arbitrary/field-hints';
import { fieldHintsOf, fullName, wholeSchema } from '#testing/arbitrary/kinds';
import { metadataOf } from '#testing/arbitrary/metadata';
import { type Mutation, mutationsOf } from '#testing/arbitrary/mutation';
import { placeAt } from '#testing/arbitrary/place';
import { type SchemaField, schemaArbitrary } from '#testing/arbitrary/schema-arbitrary';
import { runs } from '#testing/runs';
import type { Admitted } from '#vm/admission/admit';
import { findAdmission } from '#vm/dialects/admitters';

const RUNS = runs(150);
const admissionOf = findAdmission();

type Write = (object: unknown, old?: unknown, subresource?: string) => Admitted<Kind>;

/** Writes as a user does: a create, or an update if there is an old object. */
function writerOf(kind: Kind): Write {
  const admit = admissionOf(kind.apiVersion, kind.kind);
  if (admit === undefined) throw new Error(`no admission for ${fullName(kind)}`);
  return (object, old, subresource) =>
    admit({
      operation: old === undefined ? 'CREATE' : 'UPDATE',
      object,
      ...(old === undefined ? {} : { old: old as never }),
      ...(subresource === undefined ? {} : { subresource }),
      user: { name: 'jane', groups: [] },
      lookup: () => undefined,
    });
}

const parse = (text: string) => JSON.parse(text) as HintedPart;
const copy = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;

function problems({ causes, unknownFields }: Admitted<Kind>): string[] {
  return [...unknownFields.map((path) => `unknown field ${path}`), ...causes.map(formatFieldError)];
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

/** Validates by the schema alone, without the rules of the kind. */
function withoutRules({ 'x-kubernetes-validations': _rules, ...schema }: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, withoutRules(field)])),
    }),
    ...(items && { items: withoutRules(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: withoutRules(additionalProperties) }),
  };
}

describe.each(KINDS.map((kind) => [fullName(kind), kind] as const))('%s', (_name, kind) => {
  const write = writerOf(kind);
  const schema = wholeSchema(kind);
  const knowledge = fieldHintsOf(kind);
  const valid = schemaArbitrary(schema, knowledge);

  it('accepts every object that its schema describes', () => {
    const plain = compileSchema(withoutRules(kind.schema));
    fc.assert(
      fc.property(schemaArbitrary(schema, metadataOf(kind)).objects(), (text) => {
        const object = parse(text);
        expect(plain.prune(object)).toEqual([]);
        plain.applyDefaults(object);
        expect(plain.validate(object).map(formatFieldError)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it('admits every valid object, is idempotent, and does not modify the old object', () => {
    fc.assert(
      fc.property(valid.objects(), (text) => {
        const { status, ...object } = parse(text);
        const created = write(object);
        expect(problems(created)).toEqual([]);
        const stored = frozen(copy(created.object));
        const again = write(copy(stored));
        expect(problems(again)).toEqual([]);
        expect(again.object).toEqual(stored);
        const updated = write(copy(stored), stored);
        expect(problems(updated)).toEqual([]);
        expect(updated.object).toEqual(stored);
        const reported = write({ ...copy(stored), status }, stored, 'status');
        expect(problems(reported)).toEqual([]);
        const rewritten = write(copy(stored), frozen(copy(reported.object)));
        expect(problems(rewritten)).toEqual([]);
        expect(rewritten.object).toEqual(reported.object);
      }),
      { numRuns: RUNS },
    );
  });

  it('has no field that no valid object can have', () => {
    const missing = valid.fields.filter((field) => !hasField(field));
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  function hasField(field: SchemaField): boolean {
    return fc.sample(valid.objects(field), { numRuns: 4, seed: 7 }).some((text) => {
      const object = parse(text);
      return placeAt(object, field.path) !== undefined && problems(write(object)).length === 0;
    });
  }

  it('rejects an object with one invalid field, and names it', () => {
    fc.assert(
      fc.property(valid.objects(), fc.nat(), fc.nat(), (text, kindOfBreak, place) => {
        const object = parse(text);
        const ways = Object.values(Object.groupBy(mutationsOf(object, schema, knowledge), ({ what }) => what));
        const same = ways[kindOfBreak % ways.length] ?? [];
        const mutation = same[place % same.length];
        if (mutation === undefined) return;
        const old = mutation.path.startsWith('status') ? write(parse(text)).object : undefined;
        mutation.apply();
        const { causes, unknownFields } = write(copy(object), old, old === undefined ? undefined : 'status');
        expect({ mutation, found: [...unknownFields, ...causes.map(formatFieldError)] }).toSatisfy(() =>
          pointsAt(mutation, causes, unknownFields),
        );
      }),
      { numRuns: RUNS * 3 },
    );
  });
});

function pointsAt(
  { path, unknownField }: Mutation,
  causes: readonly FieldError[],
  unknown: readonly string[],
): boolean {
  if (unknownField) return unknown.includes(path);
  // For a number that is too large for its format, the API server only reports its position in the text.
  return causes.some(({ field, detail }) => field === path || (field === '' && detail.endsWith(` in ${path}`)));
}
