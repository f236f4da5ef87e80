import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KubeObject } from '#platform/kube/kube-object';
import type { JsonSchema } from '#platform/schema/json-schema';
import { compileSchema } from '#platform/structural/structural-schema';
import { runs } from '#testing/runs';
import { ANONYMOUS } from '../../access/user.ts';
import { decodeBuiltIn } from '../../builtin-schema/decode.ts';
import { crdStrategy } from '../crd-strategy.ts';
import { definitionOf, version } from '../plane.fixture.ts';

const name = fc.constantFrom('a', 'b', 'metadata', 'kind', 'apiVersion', 'name', '__proto__');
const text = fc.constantFrom(
  '',
  'a',
  '^a',
  '(',
  'self.a > 1',
  'oldSelf == self',
  '.a',
  'object',
  'map',
  'set',
  'atomic',
);
const value = fc.oneof(fc.constantFrom(null, true, 1, 1.5, 'a'), fc.constant([1]), fc.constant({ a: 1 }));

const leaf = fc.record({ type: fc.constantFrom('object', 'string', 'integer', 'x') });

/** Generates an object with some of these fields. */
function some(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<object> {
  return fc
    .subarray(Object.entries(fields), { maxLength: 4 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen) as Record<string, fc.Arbitrary<unknown>>));
}

/** Generates schemas, most of which are wrong somewhere. */
const { node: schema } = fc.letrec<{ schema: object; node: object }>((tie) => ({
  schema: fc.oneof({ maxDepth: 3, depthIdentifier: 'schema' }, leaf, tie('node')),
  node: some({
    type: fc.constantFrom('object', 'object', 'array', 'string', 'integer', 'number', 'boolean', 'null', 'x', ''),
    properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
    items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
    additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
    allOf: fc.array(tie('schema'), { maxLength: 2 }),
    anyOf: fc.array(tie('schema'), { maxLength: 2 }),
    oneOf: fc.array(tie('schema'), { maxLength: 2 }),
    not: tie('schema'),
    default: value,
    enum: fc.array(value, { maxLength: 3 }),
    required: fc.array(name, { maxLength: 2 }),
    pattern: text,
    format: fc.constantFrom('date', 'date-time', 'int32', 'foo'),
    maxLength: fc.constantFrom(-1, 0, 5),
    maxItems: fc.constantFrom(0, 5),
    nullable: fc.boolean(),
    uniqueItems: fc.boolean(),
    definitions: fc.dictionary(name, tie('schema'), { maxKeys: 1 }),
    dependencies: fc.dictionary(name, fc.oneof(tie('schema'), fc.array(name)), { maxKeys: 1 }),
    'x-kubernetes-int-or-string': fc.boolean(),
    'x-kubernetes-preserve-unknown-fields': fc.boolean(),
    'x-kubernetes-embedded-resource': fc.boolean(),
    'x-kubernetes-list-type': text,
    'x-kubernetes-map-type': text,
    'x-kubernetes-list-map-keys': fc.array(name, { maxLength: 2 }),
    'x-kubernetes-validations': fc.array(
      fc.record({ rule: text, message: text, messageExpression: text, fieldPath: text }, { requiredKeys: ['rule'] }),
      { maxLength: 2 },
    ),
  }),
}));

it('every schema is validated without an internal error, and served if accepted', () => {
  let served = 0;
  fc.assert(
    fc.property(schema, value, fc.boolean(), (root, spec, hasStatus) => {
      const openAPIV3Schema = { ...root, type: 'object' } as JsonSchema;
      const subresources = hasStatus ? { subresources: { status: {} } } : {};
      const definition = definitionOf('boats', 'Boat', [
        version('v1', { schema: { openAPIV3Schema }, ...subresources }),
      ]);
      const { object, error } = decodeBuiltIn(definition.apiVersion, definition.kind, definition) ?? {};
      if (error !== undefined) return;
      const decoded = object as KubeObject;
      crdStrategy.defaults?.(decoded);
      crdStrategy.prepareCreate?.(decoded, ANONYMOUS);
      if ((crdStrategy.validate?.(decoded) ?? []).length > 0) return;
      served++;
      const compiled = compileSchema(openAPIV3Schema);
      const instance = { apiVersion: 'x/v1', kind: 'Boat', metadata: { name: 'x' }, a: spec, spec };
      compiled.prune(instance);
      compiled.applyDefaults(instance);
      compiled.validate(instance, structuredClone(instance));
    }),
    { numRuns: runs(3000) },
  );
  expect(served).toBeGreaterThan(20);
});
