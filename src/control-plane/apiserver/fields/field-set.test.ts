import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#platform/schema/json-schema';
import {
  difference,
  EMPTY,
  type FieldSet,
  fieldPath,
  hasPath,
  intersection,
  isEmpty,
  parseFieldSet,
  printPaths,
  recursiveDifference,
  sameSet,
  union,
} from './field-set.ts';
import { compareElements } from './path-element.ts';

const ELEMENTS = ['f:a', 'f:b', 'k:{"n":2}', 'k:{"n":10}', 'k:{"n":"x"}', 'v:"x"', 'v:1', 'i:2', 'i:10'];
const path = fc.array(fc.constantFrom(...ELEMENTS), { minLength: 1, maxLength: 3 });
const paths = fc.array(path, { maxLength: 6 });

function setOf(all: readonly (readonly string[])[]): FieldSet {
  return all.reduce<FieldSet>((set, elements) => union(set, fieldPath(...elements)), EMPTY);
}

const text = (elements: readonly string[]) => JSON.stringify(elements);

/** Compares an operation on tries with the same one on plain sets of paths. */
function holds(
  operation: (a: FieldSet, b: FieldSet) => FieldSet,
  member: (path: readonly string[], a: Set<string>, b: Set<string>) => boolean,
): void {
  fc.assert(
    fc.property(paths, paths, (a, b) => {
      const before = [setOf(a), setOf(b)] as const;
      const copies = JSON.stringify(before);
      const result = operation(...before);
      const [inA, inB] = [new Set(a.map(text)), new Set(b.map(text))];
      const expected = [...a, ...b].filter((elements) => member(elements, inA, inB));
      expect(sameSet(result, setOf(expected))).toBe(true);
      // Members have one order, regardless of how the set was created.
      expect(JSON.stringify(result)).toBe(JSON.stringify(setOf([...expected].reverse())));
      expect(isEmpty(result)).toBe(expected.length === 0);
      expect(JSON.stringify(before)).toBe(copies);
    }),
  );
}

describe('sets of field paths', () => {
  it('unite', () => {
    holds(union, () => true);
  });

  it('intersect', () => {
    holds(intersection, (elements, a, b) => a.has(text(elements)) && b.has(text(elements)));
  });

  it('subtract path by path', () => {
    holds(difference, (elements, a, b) => a.has(text(elements)) && !b.has(text(elements)));
  });

  it('subtract paths with everything below them', () => {
    holds(recursiveDifference, (elements, a, b) => {
      const covered = elements.some((_, i) => b.has(text(elements.slice(0, i + 1))));
      return a.has(text(elements)) && !covered;
    });
  });

  it('report their members', () => {
    fc.assert(
      fc.property(paths, path, (all, one) => {
        expect(hasPath(setOf(all), one)).toBe(all.some((other) => text(other) === text(one)));
      }),
    );
  });

  it('parse what they format, in any order of members', () => {
    const shuffled = (json: Json): Json =>
      typeof json === 'object' && json !== null
        ? Object.fromEntries(
            Object.entries(json)
              .reverse()
              .map(([key, value]) => [key, shuffled(value)]),
          )
        : json;
    fc.assert(
      fc.property(paths, (all) => {
        const set = setOf(all);
        expect(JSON.stringify(parseFieldSet(shuffled(set)))).toBe(JSON.stringify(set));
      }),
    );
  });

  it('share unchanged parts', () => {
    const set = setOf([['f:a', 'f:b'], ['f:c']]);
    expect(difference(set, fieldPath('f:d'))).toBe(set);
    expect(union(set, EMPTY)).toBe(set);
    expect(union(set, fieldPath('f:d'))['f:a']).toBe(set['f:a']);
  });
});

describe('fieldsV1', () => {
  it('is formatted as by Kubernetes', () => {
    const sent = JSON.parse(
      '{"f:data":{"f:zz":{},"f:q":{},"v:1":{},"k:{\\"b\\":1, \\"a\\":\\"<&>\\"}":{},"i:10":{},"i:9":{},"x:y":{},"k:{\\"b\\":1,\\"a\\":2}":{}}}',
    ) as Json;
    expect(JSON.stringify(parseFieldSet(sent))).toBe(
      '{"f:data":{"f:q":{},"f:zz":{},"k:{\\"a\\":2,\\"b\\":1}":{},"k:{\\"a\\":\\"\\\\u003c\\\\u0026\\\\u003e\\",\\"b\\":1}":{},"v:1":{},"i:9":{},"i:10":{}}}',
    );
  });

  it.each([[{ 'k:x': {} }], [{ 'i:x': {} }], [{ 'f:a': 1 }], ['text']])('rejects %j', (json) => {
    expect(() => parseFieldSet(json as Json)).toThrow(SyntaxError);
  });

  it('rejects a set that is nested too deeply', () => {
    const deep = JSON.parse(`${'{"f:a":'.repeat(5000)}{}${'}'.repeat(5000)}`) as Json;
    expect(() => parseFieldSet(deep)).toThrow(SyntaxError);
  });
});

describe('paths', () => {
  it.each([
    [['f:spec', 'f:replicas'], '.spec.replicas'],
    [['f:spec', 'f:containers', 'k:{"name":"web"}', 'f:image'], '.spec.containers[name="web"].image'],
    [['f:ports', 'k:{"containerPort":80,"protocol":"TCP"}'], '.ports[containerPort=80,protocol="TCP"]'],
    [['f:finalizers', 'v:"a.b/c"'], '.finalizers[="a.b/c"]'],
    [['f:set', 'v:3'], '.set[=3]'],
    [['f:list', 'i:0'], '.list[0]'],
  ])('%j is printed as %s', (elements, printed) => {
    expect(printPaths(fieldPath(...elements))).toStrictEqual([printed]);
  });

  it('are listed level by level', () => {
    const set = setOf([['f:b', 'f:x'], ['f:c'], ['f:a', 'f:y', 'f:z']]);
    expect(printPaths(set)).toStrictEqual(['.c', '.a.y.z', '.b.x']);
  });

  it('are ordered as by Kubernetes: fields, keys, values, indexes, and numbers by value', () => {
    expect([...ELEMENTS].reverse().sort(compareElements)).toStrictEqual([
      'f:a',
      'f:b',
      'k:{"n":2}',
      'k:{"n":10}',
      'k:{"n":"x"}',
      'v:1',
      'v:"x"',
      'i:2',
      'i:10',
    ]);
  });
});
