import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { indexedMatcher } from './indexed-matcher.ts';
import { type LabelOperator, labelRequirement, matcherOf } from './label-requirement.ts';

const key = fc.constantFrom('a', 'b', 'c', 'constructor');
const value = fc.constantFrom('', '1', '2', 'x');
const requirement = fc.oneof(
  fc
    .tuple(key, fc.constantFrom<LabelOperator>('in', 'notin'), fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([name, operator, values]) => labelRequirement(name, operator, values)),
  fc
    .tuple(key, fc.constantFrom<LabelOperator>('=', '==', '!='), value)
    .map(([name, operator, only]) => labelRequirement(name, operator, [only])),
  fc
    .tuple(key, fc.constantFrom<LabelOperator>('exists', '!'))
    .map(([name, operator]) => labelRequirement(name, operator, [])),
  fc
    .tuple(key, fc.constantFrom<LabelOperator>('gt', 'lt'), fc.constantFrom('0', '1', '2'))
    .map(([name, operator, bound]) => labelRequirement(name, operator, [bound])),
);

it('matches the same labels as its requirements one by one', () => {
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 6 }), fc.dictionary(key, value), (requirements, labels) => {
      const expected = requirements.every((each) => matcherOf(each)(labels));
      expect(indexedMatcher(requirements)(labels)).toBe(expected);
    }),
    { numRuns: 3000 },
  );
});

it('looks at the labels of an object, not at all requirements', () => {
  const requirements = Array.from({ length: 1000 }, (_, i) => labelRequirement(`key-${i}`, '!', []));
  const reads: string[] = [];
  const target: Record<string, string> = { app: 'web' };
  const labels = new Proxy(target, {
    get: (_target, name) => {
      reads.push(String(name));
      return target[String(name)];
    },
  });
  expect(indexedMatcher(requirements)(labels)).toBe(true);
  expect(reads).toEqual(['app']);
});
