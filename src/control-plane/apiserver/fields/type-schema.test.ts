import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#platform/kube/patches/json-object';
import { assertDepth, MAX_DEPTH, PatchError } from '#platform/kube/patches/patch-error';
import type { Json } from '#platform/schema/json-schema';
import components from '../kubernetes/openapi-schemas.data.json' with { type: 'json' };
import { changedFields } from './changed-fields.ts';
import { mergeTyped } from './merge.ts';
import { ownedFields } from './owned-fields.ts';
import type { Type } from './type.ts';
import { TypeSchemas, type TypeSource } from './type-schema.ts';

const types = new TypeSchemas(components);
const builtIn = (name: string) => types.component(`io.k8s.api.${name}`) as Type;
const custom = (properties: Readonly<Record<string, TypeSource>>) =>
  types.custom({ properties: { spec: { type: 'object', properties } } });
const text: TypeSource = { type: 'string' };

describe('types', () => {
  it.each<[string, Type, JsonObject, Json]>([
    [
      'use the default of a key that an item omits',
      builtIn('core.v1.Pod'),
      { spec: { containers: [{ name: 'c', ports: [{ containerPort: 80 }] }] } },
      {
        'f:spec': {
          'f:containers': {
            'k:{"name":"c"}': {
              '.': {},
              'f:name': {},
              'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
            },
          },
        },
      },
    ],
    [
      'own an atomic map as a whole',
      builtIn('core.v1.Service'),
      { spec: { selector: { a: 'b' } } },
      { 'f:spec': { 'f:selector': {} } },
    ],
    [
      'own the owners of a template by uid and its finalizers by value',
      builtIn('apps.v1.Deployment'),
      { spec: { template: { metadata: { finalizers: ['x'], ownerReferences: [{ uid: 'u', name: 'n' }] } } } },
      {
        'f:spec': {
          'f:template': {
            'f:metadata': { 'f:finalizers': { 'v:"x"': {} }, 'f:ownerReferences': { 'k:{"uid":"u"}': {} } },
          },
        },
      },
    ],
    [
      'treat quantities as scalars',
      builtIn('core.v1.ResourceQuota'),
      { spec: { hard: { pods: 1, cpu: '2' } } },
      { 'f:spec': { 'f:hard': { 'f:cpu': {}, 'f:pods': {} } } },
    ],
    [
      'own a JSON document within an object as a whole',
      builtIn('apps.v1.ControllerRevision'),
      { data: { a: { b: 1 } } },
      { 'f:data': {} },
    ],
    [
      'own preserved unknown fields by their structure',
      custom({ free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }),
      { spec: { free: { a: { b: 1 }, list: [1], none: {} } } },
      { 'f:spec': { 'f:free': { 'f:a': { '.': {}, 'f:b': {} }, 'f:list': {}, 'f:none': {} } } },
    ],
    [
      'give an embedded resource its metadata',
      custom({ e: { type: 'object', 'x-kubernetes-embedded-resource': true } }),
      { spec: { e: { kind: 'K', metadata: { labels: { a: 'b' }, finalizers: ['x'] } } } },
      {
        'f:spec': {
          'f:e': { 'f:kind': {}, 'f:metadata': { 'f:finalizers': { 'v:"x"': {} }, 'f:labels': { 'f:a': {} } } },
        },
      },
    ],
    [
      'own empty and null values',
      custom({ s: { type: 'object', properties: { a: text } }, l: { type: 'array', items: text }, t: text }),
      { spec: { s: {}, l: [], t: null } },
      { 'f:spec': { 'f:l': {}, 'f:s': {}, 'f:t': {} } },
    ],
  ])('%s', (_, type, object, fields) => {
    expect(ownedFields(object, type)).toStrictEqual(fields);
  });

  it('may be recursive', () => {
    const schema = new TypeSchemas({
      Tree: { type: 'object', properties: { left: { $ref: '#/components/schemas/Tree' }, value: text } },
    });
    const tree = { left: { left: { value: 'x' } } };
    expect(ownedFields(tree, schema.component('Tree') as Type)).toStrictEqual({
      'f:left': { 'f:left': { 'f:value': {} } },
    });
  });

  it('reject objects that are nested too deeply', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) as Json;
    const type = custom({ free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } });
    const object = { spec: { free: deep } };
    expect(() => ownedFields(object, type)).toThrow(PatchError);
    expect(() => changedFields({}, object, type)).toThrow(PatchError);
    expect(() => mergeTyped({ spec: {} }, object, type)).toThrow(PatchError);
    expect(() => assertDepth(MAX_DEPTH)).not.toThrow();
  });
});

describe('changedFields', () => {
  const any = custom({ any: { 'x-kubernetes-preserve-unknown-fields': true } });

  it.each<[Json, Json, Json, Json]>([
    [5, { a: 1 }, { '.': {}, 'f:a': {} }, undefined as unknown as Json],
    [{ a: 1 }, 5, {}, { 'f:a': {} }],
    [{ a: 1 }, {}, undefined as unknown as Json, { 'f:a': {} }],
    [{}, { a: {} }, { 'f:a': {} }, undefined as unknown as Json],
    [[1], [2], {}, undefined as unknown as Json],
    [null, { a: 1 }, { 'f:a': {} }, undefined as unknown as Json],
  ])('from %j to %j', (before, after, changed, removed) => {
    const difference = changedFields({ spec: { any: before } }, { spec: { any: after } }, any);
    const at = (set: Json) => (set === undefined ? {} : { 'f:spec': { 'f:any': set } });
    expect(difference.changed).toStrictEqual(at(changed));
    expect(difference.removed).toStrictEqual(at(removed));
  });
});

describe('mergeTyped', () => {
  const sets = custom({ set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text } });

  it.each<[string, string, string]>([
    ['abc', 'abc', 'abc'],
    ['abc', 'x', 'abcx'],
    ['abc', 'cba', 'cba'],
    ['abcd', 'dxb', 'acdxb'],
    ['abcd', 'ad', 'abcd'],
    ['', 'ab', 'ab'],
  ])('orders live items %s and applied items %s as %s', (live, config, merged) => {
    const object = (items: string) => ({ spec: { set: [...items] } });
    expect(mergeTyped(object(live), object(config), sets)).toStrictEqual(object(merged));
  });
});
