import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
// Results of Kubernetes 1.36 for each body: the encoded object, the unknown fields, or the error.
import answers from './decode.data.json' with { type: 'json' };
import { decodeBuiltIn, strictDecodingError } from './decode.ts';

interface Answer {
  readonly body: { readonly apiVersion: string; readonly kind: string };
  readonly object?: object;
  readonly strict?: string;
  readonly error?: string;
}

describe('a body of a built-in kind', () => {
  it.each(answers as readonly unknown[] as readonly Answer[])('is decoded as by the API server: $body', (response) => {
    const { body, object, strict, error } = response;
    const before = JSON.stringify(body);
    const decoded = decodeBuiltIn(body.apiVersion, body.kind, body);
    expect(decoded?.error).toBe(error);
    if (error === undefined) {
      expect(decoded?.unknown.length ? strictDecodingError(decoded.unknown) : undefined).toBe(strict);
      expect(decoded?.object).toStrictEqual(object);
      // The fields must also be in the same order.
      expect(JSON.stringify(decoded?.object)).toBe(JSON.stringify(object));
    }
    expect(JSON.stringify(body)).toBe(before);
  });

  it('is decoded again to the same object', () => {
    for (const { body, object } of answers as readonly unknown[] as readonly Answer[]) {
      if (object === undefined) continue;
      expect(decodeBuiltIn(body.apiVersion, body.kind, object)).toEqual({ object, unknown: [] });
    }
  });

  it('is not decoded if its kind is unknown', () => {
    expect(decodeBuiltIn('kubevirt.io/v1', 'VirtualMachine', {})).toBeUndefined();
    expect(decodeBuiltIn('v2', 'Pod', {})).toBeUndefined();
  });

  it('that is an array is rejected, and one that is null is an empty object', () => {
    expect(decodeBuiltIn('v1', 'ConfigMap', [])?.error).toBe(
      'json: cannot unmarshal array into Go value of type v1.ConfigMap',
    );
    expect(decodeBuiltIn('v1', 'ConfigMap', null)?.object).toEqual({ metadata: {} });
    expect(decodeBuiltIn('v1', 'Secret', { data: { a: null } })?.object).toMatchObject({ data: { a: '' } });
  });

  it('with any JSON in its fields is decoded or rejected without an internal error', () => {
    fc.assert(
      fc.property(fc.constantFrom('Pod', 'Service', 'Node', 'Event'), fc.json(), (kind, json) => {
        const value = JSON.parse(json);
        const whole = { apiVersion: 'v1', kind, metadata: value, spec: value, status: value, type: value };
        expect(decodeBuiltIn('v1', kind, whole)).toBeDefined();
      }),
    );
  });

  it('is rejected when it nests too deeply', () => {
    const kind = 'CustomResourceDefinition';
    for (const key of ['not', 'items', 'additionalProperties']) {
      const schema = JSON.parse(`${`{"${key}":`.repeat(20_000)}{}${'}'.repeat(20_000)}`);
      const body = { spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } };
      expect(decodeBuiltIn('apiextensions.k8s.io/v1', kind, body)?.error).toBe('exceeded max depth');
    }
  });

  it('reports at most a hundred unknown fields', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`x${i}`, i]));
    expect(decodeBuiltIn('v1', 'Pod', many)?.unknown).toHaveLength(100);
  });
});
