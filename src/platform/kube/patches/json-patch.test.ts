import * as fc from 'fast-check';
import { jsonpatch } from 'json-p3';
import { describe, expect, it } from 'vitest';
import type { Json } from '#platform/schema/json-schema';
import type { JsonObject } from './json-object.ts';
import { applyJsonPatch } from './json-patch.ts';

const REJECTED = 'the server rejected our request due to an error in our request';
const target = { a: { b: 1 }, arr: [1], n: null };

describe('applyJsonPatch', () => {
  it.each<[Json, JsonObject]>([
    [[{ op: 'add', path: '/a/c', value: 2 }], { a: { b: 1, c: 2 }, arr: [1], n: null }],
    [[{ op: 'add', path: '/a/c' }], { a: { b: 1, c: null }, arr: [1], n: null }],
    [[{ op: 'replace', path: '/a/nope', value: 2 }], { a: { b: 1, nope: 2 }, arr: [1], n: null }],
    [[{ op: 'add', path: '/arr/-', value: 2 }], { a: { b: 1 }, arr: [1, 2], n: null }],
    [[{ op: 'add', path: '/arr/0', value: 2 }], { a: { b: 1 }, arr: [2, 1], n: null }],
    [[{ op: 'add', path: '/arr/01', value: 2 }], { a: { b: 1 }, arr: [1, 2], n: null }],
    [[{ op: 'add', path: '/arr/-1', value: 2 }], { a: { b: 1 }, arr: [1, 2], n: null }],
    [[{ op: 'add', path: '/arr/-2', value: 2 }], { a: { b: 1 }, arr: [2, 1], n: null }],
    [[{ op: 'replace', path: '/arr/-1', value: 2 }], { a: { b: 1 }, arr: [2], n: null }],
    [[{ op: 'remove', path: '/arr/0' }], { a: { b: 1 }, arr: [], n: null }],
    [[{ op: 'remove', path: '/n' }], { a: { b: 1 }, arr: [1] }],
    [[{ op: 'copy', from: '/a', path: '/a/b' }], { a: { b: { b: 1 } }, arr: [1], n: null }],
    [[{ op: 'copy', from: '/zz', path: '/q' }], { a: { b: 1 }, arr: [1], n: null, q: null }],
    [[{ op: 'move', from: '/a', path: '/arr/0' }], { arr: [{ b: 1 }, 1], n: null }],
    [[{ op: 'test', path: '/zz', value: null }], target],
    [[{ op: 'test', path: '/a', value: { b: 1 } }], target],
    [
      [
        { op: 'add', path: '/a/x~1y', value: 1 },
        { op: 'add', path: '/a/x~01', value: 2 },
      ],
      { a: { b: 1, 'x/y': 1, 'x~1': 2 }, arr: [1], n: null },
    ],
    [[{ op: 'replace', path: '', value: { z: 1 } }], { z: 1 }],
    [[], target],
    [null, target],
  ])('applies %j as Kubernetes does', (patch, result) => {
    expect(applyJsonPatch(target, patch)).toStrictEqual(result);
  });

  it.each<[Json]>([
    [[{ op: 'test', path: '/a/b', value: 2 }]],
    [[{ op: 'test', path: '/arr/1', value: null }]],
    [[{ op: 'test', path: '/zz/nope', value: null }]],
    [[{ op: 'remove', path: '/a/nope' }]],
    [[{ op: 'remove', path: '' }]],
    [[{ op: 'remove', path: 'a' }]],
    [[{ op: 'add', path: '/zz/nope', value: 1 }]],
    [[{ op: 'add', path: '/a/b/c', value: 1 }]],
    [[{ op: 'add', path: '/n/c', value: 1 }]],
    [[{ op: 'add', path: '/arr/2', value: 1 }]],
    [[{ op: 'add', path: '/arr/-3', value: 1 }]],
    [[{ op: 'add', path: '/arr/x', value: 1 }]],
    [[{ op: 'replace', path: '/arr/-', value: 1 }]],
    [[{ op: 'copy', path: '/q' }]],
    [[{ op: 'copy', from: '', path: '/q' }]],
    [[{ op: 'move', from: '/zz', path: '/q' }]],
    [[{ op: 'move', from: '/a', path: '/a/q' }]],
    [[{ op: 'wat', path: '/a', value: 1 }]],
    [[{ path: '/a', value: 1 }]],
    [[{ op: 'add', value: 1 }]],
    [[{ op: 'add', path: '', value: 1 }]],
    [[null]],
  ])('rejects %j as Kubernetes does', (patch) => {
    expect(() => applyJsonPatch(target, patch)).toThrow(
      expect.objectContaining({ status: 422, reason: 'Invalid', message: REJECTED }),
    );
  });

  it.each<[Json, string]>([
    [{ op: 'add' }, 'object into Go value of type []handlers.jsonPatchOp'],
    [[1], 'number into Go value of type handlers.jsonPatchOp'],
    [[{ op: 'add', path: 5 }], 'number into Go struct field jsonPatchOp.path of type string'],
    [[{ op: true, path: '' }], 'bool into Go struct field jsonPatchOp.op of type string'],
  ])('rejects %j, which is not a patch', (patch, what) => {
    expect(() => applyJsonPatch(target, patch)).toThrow(
      expect.objectContaining({ status: 400, message: `error decoding patch: json: cannot unmarshal ${what}` }),
    );
  });

  it('rejects more than 10,000 operations', () => {
    const operations = (n: number) => Array.from({ length: n }, () => ({ op: 'add', path: '/arr/-', value: 1 }));
    expect((applyJsonPatch(target, operations(10_000))['arr'] as Json[]).length).toBe(10_001);
    expect(() => applyJsonPatch(target, operations(10_001))).toThrow(
      expect.objectContaining({
        status: 413,
        message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
      }),
    );
  });

  it('rejects nested copies before they grow exponentially', () => {
    const operations = Array.from({ length: 200 }, (_, i) => ({ op: 'copy', from: '/a', path: `/a/c${i}` }));
    expect(() => applyJsonPatch(target, operations)).toThrow(expect.objectContaining({ status: 422 }));
  });

  it('changes only one of two copies', () => {
    const result = applyJsonPatch({ a: { b: {} } }, [
      { op: 'add', path: '/a/b/x', value: 1 },
      { op: 'copy', from: '/a', path: '/c' },
      { op: 'add', path: '/c/b/y', value: 2 },
    ]);
    expect(result).toStrictEqual({ a: { b: { x: 1 } }, c: { b: { x: 1, y: 2 } } });
  });

  it('sets a member named __proto__ without changing any prototype', () => {
    const result = applyJsonPatch({ a: {} }, [{ op: 'add', path: '/a/__proto__', value: { polluted: 1 } }]);
    expect(JSON.stringify(result)).toBe('{"a":{"__proto__":{"polluted":1}}}');
    expect(Object.getPrototypeOf(result['a'])).toBe(Object.prototype);
    for (const path of ['/__proto__/polluted', '/constructor/prototype/polluted', '/a/__proto__/polluted']) {
      expect(() => applyJsonPatch({ a: {} }, [{ op: 'add', path, value: 1 }])).toThrow(REJECTED);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('agrees with another implementation of RFC 6902 if that one succeeds', () => {
    const path = fc.constantFrom('/a', '/a/b', '/a/c', '/l', '/l/0', '/l/1', '/l/-', '/l/0/x', '/new', '/a~1b');
    const value = fc.jsonValue({ maxDepth: 2 }).filter((json) => !JSON.stringify(json).includes('__proto__'));
    const operation = fc.oneof(
      fc.record({ op: fc.constantFrom('add', 'replace'), path, value }),
      fc.record({ op: fc.constant('remove'), path }),
      fc.record({ op: fc.constant('move'), from: path, path }),
      // The copy is of a scalar, because the other implementation lets two copies of a list stay one list.
      fc.record({ op: fc.constant('copy'), from: fc.constant('/s'), path }),
    );
    let compared = 0;
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
        const document = { a: { b: 1, c: [true] }, l: [{ x: 1 }, 2], s: 'text' };
        const text = JSON.stringify(document);
        let expected: unknown;
        try {
          expected = jsonpatch.apply(structuredClone(operations), JSON.parse(text) as never);
        } catch {
          return;
        }
        compared++;
        expect(applyJsonPatch(document, operations as unknown as Json)).toStrictEqual(expected);
        expect(JSON.stringify(document)).toBe(text);
      }),
      { numRuns: 1000 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
