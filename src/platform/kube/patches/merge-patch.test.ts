import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#platform/schema/json-schema';
import { isObject, type JsonObject } from './json-object.ts';
import { applyMergePatch } from './merge-patch.ts';
import { PatchError } from './patch-error.ts';

describe('applyMergePatch', () => {
  it.each<[JsonObject, Json, JsonObject]>([
    // Examples of RFC 7386, appendix A, as far as they patch objects.
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    // Results of Kubernetes for nulls within lists.
    [{ l: [1] }, { l: [{ b: null, c: 1 }, null, [{ d: null }]] }, { l: [{ c: 1 }, null, [{}]] }],
    [{ l: { x: 1 } }, { l: [null, { a: null }] }, { l: [null, { a: null }] }],
  ])('patches %j with %j to %j', (target, patch, result) => {
    expect(applyMergePatch(target, patch)).toStrictEqual(result);
  });

  it.each<[Json, string]>([
    [null, 'Invalid JSON Patch'],
    [[], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
    [true, 'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}'],
  ])('rejects %j, which is not an object', (patch, message) => {
    expect(() => applyMergePatch({}, patch)).toThrow(expect.objectContaining({ status: 400, message }));
  });

  it('changes neither argument, and is idempotent', () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const { object } = fc.letrec<{ object: JsonObject; value: Json }>((tie) => ({
      object: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value')),
      value: fc.oneof({ maxDepth: 4 }, scalar, fc.array(scalar), tie('object')),
    }));
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        const once = applyMergePatch(target, patch);
        expect(applyMergePatch(once, patch)).toStrictEqual(once);
        expect(JSON.stringify([target, patch])).toBe(before);
        for (const key of Object.keys(patch)) {
          if (patch[key] === null) expect(Object.hasOwn(once, key)).toBe(false);
          else if (!isObject(patch[key]) && !Array.isArray(patch[key])) expect(once[key]).toBe(patch[key]);
        }
      }),
    );
  });

  it('returns the target itself if nothing changes, and shares unchanged parts', () => {
    const target = { metadata: { labels: { a: 'b' } }, spec: { x: 1, list: [1] } };
    expect(applyMergePatch(target, { metadata: { labels: { a: 'b' } }, spec: { y: null } })).toBe(target);
    const result = applyMergePatch(target, { spec: { x: 2 } });
    expect(result['metadata']).toBe(target.metadata);
    expect((result['spec'] as JsonObject)['list']).toBe(target.spec.list);
  });

  it('sets a member named __proto__ without changing any prototype', () => {
    const result = applyMergePatch({ a: {} }, JSON.parse('{"a":{"__proto__":{"polluted":1}}}') as Json);
    expect(Object.getPrototypeOf(result['a'])).toBe(Object.prototype);
    expect(JSON.stringify(result)).toBe('{"a":{"__proto__":{"polluted":1}}}');
  });

  it('rejects a patch that is nested too deeply', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) as Json;
    expect(() => applyMergePatch({}, deep)).toThrow(PatchError);
  });
});
