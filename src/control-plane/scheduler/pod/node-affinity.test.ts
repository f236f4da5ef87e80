import { describe, expect, test } from 'vitest';
import { node } from '../harness.fixture.ts';
import { nodePreferencesOf, requiredNodeAffinityOf } from './node-affinity.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const here = node('here', { labels: { disk: 'ssd', gen: '5', odd: 'x' } });
const requires = (...nodeSelectorTerms: object[]) => ({
  containers: [],
  affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms } } },
});
const expression = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
});

describe('a node must be as required', () => {
  const CASES: readonly [what: string, spec: object, expected: boolean][] = [
    ['a label of nodeSelector', { containers: [], nodeSelector: { disk: 'ssd' } }, true],
    ['another value than nodeSelector asks for', { containers: [], nodeSelector: { disk: 'hdd' } }, false],
    ['In', requires(expression('disk', 'In', 'hdd', 'ssd')), true],
    ['In without the label', requires(expression('none', 'In', 'x')), false],
    ['NotIn without the label', requires(expression('none', 'NotIn', 'x')), true],
    ['NotIn', requires(expression('disk', 'NotIn', 'ssd')), false],
    ['Exists', requires(expression('disk', 'Exists')), true],
    ['DoesNotExist', requires(expression('disk', 'DoesNotExist')), false],
    ['Gt', requires(expression('gen', 'Gt', '4')), true],
    ['Gt of an equal number', requires(expression('gen', 'Gt', '5')), false],
    ['Lt', requires(expression('gen', 'Lt', '6')), true],
    ['Gt of no number', requires(expression('odd', 'Gt', '1')), false],
    ['one of several terms', requires(expression('disk', 'In', 'hdd'), expression('gen', 'Exists')), true],
    [
      'all expressions of a term',
      requires({
        matchExpressions: [
          { key: 'disk', operator: 'Exists' },
          { key: 'none', operator: 'Exists' },
        ],
      }),
      false,
    ],
    ['an empty term matches nothing', requires({}), false],
    ['its name', requires({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['here'] }] }), true],
  ];
  test.each(CASES)('%s', (_what, spec, expected) => {
    expect(requiredNodeAffinityOf(spec as never)?.matches(here)).toBe(expected);
  });
});

test('names are known where every term gives some', () => {
  const named = (name: string) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] });
  expect(requiredNodeAffinityOf(requires(named('a'), named('b')) as never)?.names).toEqual(new Set(['a', 'b']));
  expect(requiredNodeAffinityOf(requires(named('a'), expression('disk', 'Exists')) as never)?.names).toBeUndefined();
});

test('preferences without weight or content are left out', () => {
  const preferred = [
    { weight: 3, preference: expression('disk', 'Exists') },
    { weight: 0, preference: expression('disk', 'Exists') },
    { weight: 9, preference: {} },
  ];
  const spec = { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } };
  expect(nodePreferencesOf(spec as never).map(({ weight }) => weight)).toEqual([3]);
});
