import { describe, expect, it, vi } from 'vitest';
import type { Steps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';
import { customShape } from './apiextensions/custom-shape.ts';
import { builtInResources } from './builtin-resources.ts';
import { decodeBuiltIn } from './builtin-schema/decode.ts';
import { FieldManagement } from './field-management.ts';
import { kindParts } from './kind-parts.ts';
import { ParsedObjects } from './parsed-objects.ts';
import type { RequestContext } from './request-context.ts';
import type { Resource } from './resource.ts';
import { bodyDecoding, decodeBody } from './verbs/decode.ts';

const MANY = 40_000;
/** Maximum number of entries processed between two pauses, which takes a few milliseconds. */
const MAX_AT_ONCE = 4_096;

const resource = builtInResources(kindParts).find(({ kind }) => kind === 'ConfigMap') as Resource;
const fields = new FieldManagement(() => []);
const writer = { manager: 'test', subresource: '', time: '2026-01-01T00:00:00Z' };
const call = (): RequestContext => ({
  user: { name: 'ann', groups: [] },
  fieldManager: 'test',
  dryRun: false,
  fieldValidation: 'Warn',
  warnings: [],
  signal: new AbortController().signal,
});
const record = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, 'v']));
const configMap = (metadata: object, rest: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'large', ...metadata },
  ...rest,
});
const entry = (i: number) => ({ manager: `m${i}`, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' });

/** Runs work to its end and counts the pauses in which others could have run. */
function drive<T>(steps: Steps<T>): { readonly value: T; readonly turns: number } {
  for (let turns = 0; ; turns++) {
    const { done, value } = steps.next();
    if (done === true) return { value, turns };
  }
}

const LARGE: Readonly<Record<string, object>> = {
  labels: configMap({ labels: record(MANY) }),
  data: configMap({}, { data: record(MANY) }),
  finalizers: configMap({ finalizers: Object.keys(record(MANY)).map((key) => `a.io/${key}`) }),
};

describe('a large write yields to other requests', () => {
  it.each(Object.keys(LARGE))('while many %s are decoded', (name) => {
    const { value, turns } = drive(bodyDecoding(resource, LARGE[name], call()));
    expect(turns).toBeGreaterThan(MANY / MAX_AT_ONCE);
    expect(value).toMatchObject(LARGE[name] as object);
  });

  it.each(Object.keys(LARGE))('while field ownership of many %s is computed', (name) => {
    const object = decodeBody(resource, LARGE[name], call());
    const { turns } = drive(fields.recordInSteps(resource, object, undefined, writer));
    expect(turns).toBeGreaterThan((2 * MANY) / MAX_AT_ONCE);
    const [owner] = object.metadata.managedFields ?? [];
    const owned = owner?.fieldsV1 as Record<string, Record<string, object>> | undefined;
    const set = name === 'data' ? owned?.['f:data'] : owned?.['f:metadata']?.[`f:${name}`];
    // The field itself is a member too.
    expect(Object.keys(set ?? {})).toHaveLength(MANY + 1);
  });

  it.each(Object.keys(LARGE))('while many %s are applied', (name) => {
    const config = { ...(LARGE[name] as unknown as KubeObject) };
    const { value, turns } = drive(fields.apply(resource, config, undefined, writer, false));
    expect(turns).toBeGreaterThan((2 * MANY) / MAX_AT_ONCE);
    expect(Object.keys(value.metadata.managedFields?.[0]?.fieldsV1 ?? {})).toHaveLength(1);
  });

  it.each(Object.keys(LARGE))('while many %s are formatted', (name) => {
    const object = LARGE[name] as KubeObject;
    const parsed = new ParsedObjects();
    const { value: prepared, turns } = drive(parsed.prepareText(object));
    expect(turns).toBeGreaterThan(1);
    const formatWhole = vi.spyOn(JSON, 'stringify');
    const text = parsed.textOf(object, prepared);
    const longest = Math.max(...formatWhole.mock.results.map(({ value }) => String(value).length));
    formatWhole.mockRestore();
    expect(longest).toBeLessThan(1_000);
    expect(JSON.parse(text)).toEqual(object);
  });

  it('while managedFields of a client are parsed', () => {
    const body = configMap({ managedFields: Array.from({ length: MANY }, (_, i) => entry(i)) });
    const decoded = drive(bodyDecoding(resource, body, call()));
    expect(decoded.turns).toBeGreaterThan(MANY / MAX_AT_ONCE);
    const recorded = drive(fields.recordInSteps(resource, decoded.value, undefined, writer));
    expect(recorded.turns).toBeGreaterThan(MANY / MAX_AT_ONCE);
  });

  it('between schema validation and CEL rules', () => {
    const openAPIV3Schema = {
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-validations': [{ rule: 'has(self.a)' }] } },
    } as const;
    const shape = customShape('Ruled', { name: 'v1', schema: { openAPIV3Schema } });
    const object = { apiVersion: 'x.io/v1', kind: 'Ruled', metadata: { name: 'a' }, spec: {} };
    expect(drive(shape.validate(object)).turns).toBeGreaterThan(2);
  });
});

describe('long fields, which are decoded last,', () => {
  it('are in the same place as if they had been decoded in order', () => {
    const data = record(5_000);
    expect(Object.keys(decodeBuiltIn('v1', 'ConfigMap', configMap({}, { data }))?.object['data'] ?? {})).toEqual(
      Object.keys(data).sort(),
    );
  });

  it('are reported in the order of the text if they are invalid', () => {
    const wrong = { ...record(5_000), 'key-4999': 5 };
    const inData = configMap({ labels: record(3_000) }, { data: wrong, immutable: 'no' });
    expect(decodeBuiltIn('v1', 'ConfigMap', inData)?.error).toContain('ConfigMap.data');
    const before = { ...configMap({ name: 7 }), data: wrong };
    expect(decodeBuiltIn('v1', 'ConfigMap', before)?.error).toContain('ObjectMeta.metadata.name');
  });

  it('are reported in the order of the text if they are unknown', () => {
    const managedFields = Array.from({ length: 3_000 }, (_, i) => ({
      ...entry(i),
      ...(i === 2_500 ? { odd: 1 } : {}),
    }));
    const body = { first: 1, ...configMap({ managedFields, second: 1 }), third: 1 };
    const { unknown } = decodeBuiltIn('v1', 'ConfigMap', body) ?? {};
    expect(unknown).toEqual(['first', 'metadata.managedFields[2500].odd', 'metadata.second', 'third']);
  });
});
