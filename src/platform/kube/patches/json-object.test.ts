import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '#platform/schema/json-schema';
import { copyMembers, type JsonObject } from './json-object.ts';

it('copies objects of any size, in the order of their members and without changing any prototype', () => {
  const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '1', '0'));
  const members = fc.array(fc.tuple(name, fc.jsonValue({ maxDepth: 1 })), { maxLength: 200 });
  fc.assert(
    fc.property(members, (entries) => {
      const object = JSON.parse(JSON.stringify(Object.fromEntries(entries))) as JsonObject;
      const copy = copyMembers(object);
      expect(JSON.stringify(copy)).toBe(JSON.stringify(object));
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
      expect(copy).not.toBe(object);
    }),
    { numRuns: 50 },
  );
});

it('shares the members of a large object', () => {
  const object: Record<string, Json> = {};
  for (let at = 0; at < 1_000; at++) object[`k${at}`] = { at };
  expect(copyMembers(object)['k999']).toBe(object['k999']);
});
