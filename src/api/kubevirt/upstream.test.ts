import { describe, expect, test } from 'vitest';
import { crdOf } from '#platform/schema/crd';
import type { JsonSchema } from '#platform/schema/json-schema';
import type { Kind } from '#platform/schema/kind';
import { definitions, NOT_ACTED_ON, SPECIAL_TYPES, type UpstreamSchema } from './upstream.ts';
import { virtualMachine } from './virtual-machine.ts';
import { virtualMachineInstance } from './virtual-machine-instance.ts';
import { virtualMachineInstanceMigration } from './virtual-machine-instance-migration.ts';

const KINDS: readonly Kind[] = [virtualMachine, virtualMachineInstance, virtualMachineInstanceMigration];

/** Calls back for every field that KubeVirt defines, with our schema for it. */
function compare(
  upstream: UpstreamSchema,
  ours: JsonSchema | undefined,
  path: string,
  visit: (upstream: UpstreamSchema, ours: JsonSchema | undefined, path: string) => void,
): void {
  const named = upstream.$ref === undefined ? upstream : (definitions[upstream.$ref] ?? special(upstream.$ref));
  visit(named, ours, path);
  if (ours === undefined || ours['x-kubernetes-preserve-unknown-fields'] === true) return;
  for (const [field, inner] of Object.entries(named.properties ?? {})) {
    compare(inner, ours.properties?.[field], `${path}.${field}`, visit);
  }
  if (named.items !== undefined) compare(named.items, ours.items, `${path}[]`, visit);
  if (named.additionalProperties !== undefined && typeof ours.additionalProperties === 'object') {
    compare(named.additionalProperties, ours.additionalProperties, `${path}{}`, visit);
  }
}

function special(name: string): UpstreamSchema {
  const schema = SPECIAL_TYPES[name];
  if (schema === undefined) throw new Error(`the data names ${name} and nobody defines it`);
  const { properties: _, items: __, additionalProperties: ___, ...rest } = schema;
  return rest;
}

function places(visit: (upstream: UpstreamSchema, ours: JsonSchema | undefined, path: string) => void): void {
  for (const kind of KINDS) {
    for (const part of ['spec', 'status'] as const) {
      const name = `${kind.kind}${part === 'spec' ? 'Spec' : 'Status'}`;
      compare({ $ref: name }, kind.schema.properties?.[part], `${kind.kind}.${part}`, visit);
    }
  }
}

/** Strings that only one of the two sides describes as a time count as strings on both. */
const typeOf = (schema: UpstreamSchema | JsonSchema | undefined): string =>
  schema?.['x-kubernetes-int-or-string'] === true ? 'int or string' : (schema?.type ?? 'none');

describe('every field of KubeVirt 1.9', () => {
  test('exists, with the type that KubeVirt gives it', () => {
    const wrong: string[] = [];
    let count = 0;
    places((upstream, ours, path) => {
      count += 1;
      if (typeOf(upstream) !== typeOf(ours)) wrong.push(`${path}: ${typeOf(upstream)}, here ${typeOf(ours)}`);
    });
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(1000);
  });

  test('accepts every enum value of KubeVirt', () => {
    const missing: string[] = [];
    places((upstream, ours, path) => {
      for (const word of upstream.enum ?? []) {
        if (ours?.enum !== undefined && !ours.enum.includes(word)) missing.push(`${path}: ${JSON.stringify(word)}`);
      }
    });
    expect(missing).toEqual([]);
  });

  test('merges lists by the keys of KubeVirt', () => {
    const wrong: string[] = [];
    places((upstream, ours, path) => {
      const keys = upstream['x-kubernetes-list-map-keys'];
      if (keys !== undefined && String(ours?.['x-kubernetes-list-map-keys']) !== String(keys)) wrong.push(path);
    });
    expect(wrong).toEqual([]);
  });

  test('is required if KubeVirt requires it, and otherwise only if nothing works without it', () => {
    const looser: string[] = [];
    const stricter: string[] = [];
    places((upstream, ours, path) => {
      if (ours === undefined || ours['x-kubernetes-preserve-unknown-fields'] === true) return;
      const theirs = new Set(upstream.required);
      const mine = new Set(ours.required);
      looser.push(...[...theirs.difference(mine)].map((field) => `${path}.${field}`));
      stricter.push(...[...mine.difference(theirs)].map((field) => `${path}.${field}`));
    });
    expect(looser).toEqual([]);
    const sysprep = (kind: string) =>
      ['configMap', 'secret'].map((source) => `${kind}.volumes[].sysprep.${source}.name`);
    expect(stricter).toEqual([
      'VirtualMachine.spec.template.spec',
      ...sysprep('VirtualMachine.spec.template.spec'),
      ...sysprep('VirtualMachineInstance.spec'),
      'VirtualMachineInstanceMigration.spec.vmiName',
    ]);
  });
});

/** Yields this schema and every nested one that describes a field. */
function* fieldsOf(schema: JsonSchema, path: string): Generator<[string, JsonSchema]> {
  for (const [field, inner] of Object.entries(schema.properties ?? {})) {
    yield [`${path}.${field}`, inner];
    yield* fieldsOf(inner, `${path}.${field}`);
  }
  if (schema.items !== undefined) yield* fieldsOf(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === 'object') yield* fieldsOf(schema.additionalProperties, `${path}{}`);
}

describe.each(KINDS.map((kind) => [kind.kind, kind] as const))('%s', (_, kind) => {
  test('describes every field', () => {
    // The server itself describes metadata.
    const fields = [...fieldsOf(kind.schema, '')].filter(([path]) => path !== '.metadata');
    const mute = fields.filter(([, schema]) => (schema.description ?? '').length < 5);
    expect(mute.map(([path]) => path)).toEqual([]);
  });

  test('has no default that would show up as drift in a stored manifest', () => {
    // A status is not part of a manifest.
    const { status: _status, ...properties } = kind.schema.properties ?? {};
    const filled = [...fieldsOf({ ...kind.schema, properties }, '')].filter(
      ([, schema]) => schema.default !== undefined,
    );
    expect(filled.map(([path]) => path)).toEqual([]);
  });

  test('keys lists by required fields only, as a structural schema must', () => {
    const loose = [...fieldsOf(kind.schema, '')].filter(([, schema]) =>
      schema['x-kubernetes-list-map-keys']?.some((key) => !schema.items?.required?.includes(key)),
    );
    expect(loose.map(([path]) => path)).toEqual([]);
  });

  test('fits into the annotation of kubectl apply, with the schema of all three versions', () => {
    const annotationLimit = 262_144;
    expect(JSON.stringify(crdOf(kind)).length).toBeLessThan(annotationLimit * 0.9);
  });
});

test('only generated fields are marked as not acted on, never handwritten ones', () => {
  const devices =
    virtualMachineInstance.schema.properties?.['spec']?.properties?.['domain']?.properties?.['devices']?.properties;
  expect(devices?.['sound']?.description).toBe(NOT_ACTED_ON);
  expect(devices?.['disks']?.description).not.toBe(NOT_ACTED_ON);
  expect(devices?.['sound']?.properties?.['model']?.description).not.toBe(NOT_ACTED_ON);
});
