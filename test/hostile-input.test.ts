import { createContext, Script } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KINDS } from '#api/kinds';
import { formatFieldError } from '#platform/base/field-error';
import { readManifest } from '#platform/kube/manifest';
import type { JsonSchema } from '#platform/schema/json-schema';
import type { Kind } from '#platform/schema/kind';
import { FORMATS } from '#platform/structural/formats';
import { pattern } from '#platform/structural/pattern';
import type { HintedPart } from '#testing/arbitrary/field-hints';
import { fieldHintsOf, fullName, wholeSchema } from '#testing/arbitrary/kinds';
import { placeAt } from '#testing/arbitrary/place';
import { type SchemaField, schemaArbitrary } from '#testing/arbitrary/schema-arbitrary';
import type { Admitted } from '#vm/admission/admit';
import { findAdmission } from '#vm/dialects/admitters';

const TIMEOUT = 60_000;
const admissionOf = findAdmission();

const context: { work?: () => unknown } = createContext({});
const run = new Script('work()');

/** Runs code that must terminate. If it does not, it is aborted, and the test fails instead of hanging. */
function ends<T>(work: () => T): T {
  context.work = work;
  return run.runInContext(context, { timeout: TIMEOUT }) as T;
}

function writerOf(kind: Kind): (object: unknown) => Admitted<Kind> {
  const admit = admissionOf(kind.apiVersion, kind.kind);
  if (admit === undefined) throw new Error(`no admission for ${fullName(kind)}`);
  return (object) =>
    admit({ operation: 'CREATE', object, user: { name: 'mallory', groups: [] }, lookup: () => undefined });
}

/** Returns the messages for the user. Every rejection must have one. */
function refusals({ causes, unknownFields }: Admitted<Kind>): string[] {
  return [...unknownFields.map((path) => `unknown field "${path}"`), ...causes.map(formatFieldError)];
}

function expectCleanPrototypes(): void {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Object.keys(Array.prototype)).toEqual([]);
  expect(({} as HintedPart)['polluted']).toBeUndefined();
}

/** Keys that would change every object if they were assigned instead of defined. */
const EVIL = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
  .map((name) => `"${name}":{"polluted":true,"constructor":{"prototype":{"polluted":true}}}`)
  .join();

function attacked(value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.assign(JSON.parse(`{${EVIL}}`) as HintedPart, value) : value;
}

const nestedLists = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown;
const nestedObjects = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as unknown;

const LENGTH = 5_000;
const LARGE = 'x'.repeat(1_536 * 1_024);

/** Very long texts that almost match a field, with which a backtracking expression would never terminate. */
function nearMisses(good: string): string[] {
  const repeats = (text: string) => text.repeat(Math.ceil(LENGTH / Math.max(1, text.length)));
  return [...['a', '1', '-', '.', 'a-', 'a.', '1ms', '10:', '/a', '\ud800'].map(repeats), repeats(good)].flatMap(
    (text) => [`${text}!`, `${good}${text}\n`],
  );
}

describe.each(KINDS.map((kind) => [fullName(kind), kind] as const))('%s', (_name, kind) => {
  const write = writerOf(kind);
  const arbitrary = schemaArbitrary(wholeSchema(kind), fieldHintsOf(kind));

  const texts = new Map<SchemaField, string>();

  /** A valid object that has the field, as text. */
  function textWith(field: SchemaField): string {
    const known = texts.get(field);
    if (known !== undefined) return known;
    const samples = fc.sample(arbitrary.objects(field), { numRuns: 4, seed: 11 });
    const text = samples.find((sample) => placeAt(JSON.parse(sample), field.path) !== undefined);
    if (text === undefined) throw new Error(`no object with ${field.path}`);
    texts.set(field, text);
    return text;
  }

  const valueAt = (field: SchemaField) => placeAt(JSON.parse(textWith(field)), field.path)?.value;

  /** Admits a valid object with one field replaced. */
  function withValue(field: SchemaField, value: unknown): Admitted<Kind> {
    const object = JSON.parse(textWith(field)) as HintedPart;
    placeAt(object, field.path)?.replace(value);
    return write(object);
  }

  const fieldsOf = (type: JsonSchema['type']) =>
    arbitrary.fields.filter(({ schema, path }) => schema.type === type && !path.startsWith('status'));

  it('rejects a root that is not an object of its kind', () => {
    const { apiVersion } = kind;
    const roots = [null, [], [[]], '', 'text', 7, -0.5, true, {}, { apiVersion }, { apiVersion, kind: kind.kind }];
    const parts = [null, [], 'text', 7, true, {}, [null], { '': null }].flatMap((odd) => [
      { apiVersion, kind: kind.kind, metadata: odd, spec: odd, status: odd },
      {
        apiVersion,
        kind: kind.kind,
        metadata: { name: 'a', labels: odd, annotations: odd, ownerReferences: odd },
        spec: odd,
      },
    ]);
    for (const root of [...roots, ...parts]) expect(refusals(write(structuredClone(root))).join()).not.toBe('');
    expect(refusals(write(nestedLists(100_000))).join()).not.toBe('');
  });

  it('is not affected by names of JavaScript as keys, at any depth', () => {
    for (const field of arbitrary.fields) {
      const answer = write(JSON.parse(textWith(field), (_key, value: unknown) => attacked(value)));
      expect(refusals(answer).join()).not.toBe('');
    }
    const [first = ''] = texts.values();
    const { documents } = readManifest(JSON.stringify(JSON.parse(first, (_key, value: unknown) => attacked(value))));
    expect(documents).toHaveLength(1);
    expect(refusals(write(documents[0]?.object)).join()).toContain('unknown field "metadata.__proto__"');
    for (const map of ['labels', 'annotations']) {
      const object = JSON.parse(first) as { metadata: HintedPart };
      object.metadata[map] = JSON.parse('{"__proto__":"polluted","a b":"c"}');
      expect(refusals(write(object)).join()).toContain(`metadata.${map}: Invalid value: "__proto__"`);
    }
    expectCleanPrototypes();
  });

  it('handles ten thousand items in every list', () => {
    for (const field of fieldsOf('array')) {
      const [item = null] = valueAt(field) as unknown[];
      const text = JSON.stringify(Array.from({ length: 10_000 }, () => item));
      const { causes } = ends(() => withValue(field, JSON.parse(text)));
      expect(causes.length).toBeLessThanOrEqual(501);
      if (field.schema.maxItems !== undefined) expect(causes.map(({ type }) => type)).toContain('TooMany');
    }
  });

  it('handles long texts that almost match, in every field', () => {
    for (const field of fieldsOf('string')) {
      const texts = nearMisses(String(valueAt(field)));
      const answers = ends(() => texts.map((text) => withValue(field, text)));
      for (const { causes } of answers) {
        if (field.schema.pattern !== undefined || field.schema.enum !== undefined) expect(causes).not.toEqual([]);
      }
    }
  });

  it('handles any depth, anywhere', () => {
    const looked = new Set<string>();
    for (const field of arbitrary.fields) {
      const { type, enum: choices, format, nullable, properties } = field.schema;
      const shape = [type, choices !== undefined, format, nullable, properties !== undefined].join();
      // A depth beyond the stack takes time, so it is tried once for each shape.
      const depth = looked.has(shape) ? 300 : 20_000;
      looked.add(shape);
      const deep = type === 'object' ? nestedObjects(depth) : nestedLists(depth);
      expect(refusals(ends(() => withValue(field, deep))).every((text) => text.length > 0)).toBe(true);
    }
  });

  it('handles odd numbers and texts, anywhere', () => {
    const odd = [
      Number.MAX_VALUE,
      -Number.MAX_VALUE,
      5e-324,
      2 ** 53,
      -(2 ** 63),
      1e21,
      -0,
      '\ud800',
      '\0',
      '\u202e',
      '',
    ];
    for (const field of arbitrary.fields) {
      for (const value of odd) {
        const answer = withValue(field, value);
        expect(refusals(answer).every((text) => text.length > 0)).toBe(true);
      }
    }
  });

  it('reports which text of 1.5 MiB is too long', () => {
    for (const field of fieldsOf('string')) {
      if (field.schema.maxLength === undefined) continue;
      expect(withValue(field, LARGE).causes.map(({ type }) => type)).toContain('TooLong');
    }
  });
});

const allPatterns = new Set(KINDS.flatMap((kind) => patternsIn(wholeSchema(kind))));

function patternsIn(schema: JsonSchema): string[] {
  const { items, additionalProperties, properties = {} } = schema;
  return [
    ...(schema.pattern === undefined ? [] : [schema.pattern]),
    ...Object.values(properties).flatMap(patternsIn),
    ...(items === undefined ? [] : patternsIn(items)),
    ...(typeof additionalProperties === 'object' ? patternsIn(additionalProperties) : []),
  ];
}

it.each([...allPatterns])('the pattern %s terminates on any text', (source) => {
  const matches = pattern(source);
  const [good = ''] = fc.sample(fc.stringMatching(new RegExp(source)), { numRuns: 1, seed: 5 });
  expect(ends(() => nearMisses(good).filter((text) => matches(text.repeat(10))))).toEqual([]);
});

it.each([...FORMATS])('the format %s terminates on any text', (_name, wellFormed) => {
  const samples = ['', 'a', '1', 'a.b', '10.0.0.1', 'fd00::1', '1h', '2024-01-01'];
  const texts = samples.flatMap(nearMisses).flatMap((text) => [text, `${text.slice(0, 250)}!`]);
  expect(ends(() => texts.filter(wellFormed)).length).toBeLessThan(texts.length);
});

describe('metadata', () => {
  const [kind] = KINDS as [Kind];
  const write = writerOf(kind);
  const withMeta = (part: HintedPart) => {
    const { apiVersion, example } = kind;
    const metadata = { name: example.name, namespace: 'default', ...part };
    return ends(() => write(structuredClone({ apiVersion, kind: kind.kind, metadata, spec: example.spec })));
  };
  const many = Array.from({ length: 100_000 }, (_, i) => i);

  it.each<[string, HintedPart, string]>([
    [
      'an annotation',
      { annotations: { note: LARGE } },
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ],
    ['a name', { name: LARGE }, 'must be no more than 253 characters'],
    ['the key of a label', { labels: { [LARGE]: 'a' } }, 'must be no more than 63 bytes'],
    ['the value of a label', { labels: { a: LARGE } }, 'must be no more than 63 bytes'],
    ['the name of a field', { [LARGE]: 1 }, `unknown field "metadata.${LARGE}"`],
  ])('of 1.5 MiB in %s is rejected', (_what, part, refusal) => {
    expect(refusals(withMeta(part)).join('\n')).toContain(refusal);
  });

  it.each<[string, HintedPart]>([
    ['labels', { labels: Object.fromEntries(many.map((i) => [`a b ${i}`, 'not a value!'])) }],
    ['annotations', { annotations: Object.fromEntries(many.map((i) => [`a b ${i}`, ''])) }],
    ['finalizers', { finalizers: many.map((i) => `a b ${i}`) }],
    ['owners', { ownerReferences: many.map(() => ({ controller: true })) }],
    ['unknown fields', Object.fromEntries(many.map((i) => [`field-${i}`, i]))],
  ])('with a hundred thousand %s is rejected in bounded time', (_what, part) => {
    const { causes, unknownFields } = withMeta(part);
    expect(causes.length + unknownFields.length).toBeGreaterThan(0);
    expect(causes.length).toBeLessThanOrEqual(501);
  });
});

describe('a manifest', () => {
  it('may contain a hundred thousand objects', () => {
    const items = Array.from({ length: 100_000 }, () => '{}').join();
    expect(ends(() => readManifest(`apiVersion: v1\nkind: List\nitems: [${items}]`)).documents).toHaveLength(100_000);
  });

  it('with ten thousand disks in a VM is rejected only for their number', () => {
    const disks = Array.from({ length: 10_000 }, (_, i) => `{name: d${i}, size: 1Gi}`).join();
    const [document] = ends(() =>
      readManifest(`
apiVersion: hypersdk.io/v1alpha1
kind: VirtualMachine
metadata: {name: a}
spec: {cpus: 1, memory: 1Gi, disks: [${disks}]}`),
    ).documents;
    const admit = admissionOf('hypersdk.io/v1alpha1', 'VirtualMachine');
    const user = { name: 'mallory', groups: [] };
    const answer = admit?.({ operation: 'CREATE', object: document?.object, user, lookup: () => undefined });
    expect(answer?.causes.map(formatFieldError)).toEqual([
      'spec.disks: Too many: 10000: must have at most 64 items',
      expect.stringContaining('some validation rules were not checked'),
    ]);
  });
});
