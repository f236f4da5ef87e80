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

describe('required node affinity', () => {
  const CASES: readonly [what: string, spec: object, expected: boolean][] = [
    ['matches a label of nodeSelector', { containers: [], nodeSelector: { disk: 'ssd' } }, true],
    [
      'does not match another value than that of nodeSelector',
      { containers: [], nodeSelector: { disk: 'hdd' } },
      false,
    ],
    ['In', requires(expression('disk', 'In', 'hdd', 'ssd')), true],
    ['does not match In without the label', requires(expression('none', 'In', 'x')), false],
    ['matches NotIn without the label', requires(expression('none', 'NotIn', 'x')), true],
    ['NotIn', requires(expression('disk', 'NotIn', 'ssd')), false],
    ['Exists', requires(expression('disk', 'Exists')), true],
    ['DoesNotExist', requires(expression('disk', 'DoesNotExist')), false],
    ['Gt', requires(expression('gen', 'Gt', '4')), true],
    ['does not match Gt of an equal number', requires(expression('gen', 'Gt', '5')), false],
    ['Lt', requires(expression('gen', 'Lt', '6')), true],
    ['does not match Gt of a text', requires(expression('odd', 'Gt', '1')), false],
    [
      'matches if one of several terms does',
      requires(expression('disk', 'In', 'hdd'), expression('gen', 'Exists')),
      true,
    ],
    [
      'requires all expressions of a term',
      requires({
        matchExpressions: [
          { key: 'disk', operator: 'Exists' },
          { key: 'none', operator: 'Exists' },
        ],
      }),
      false,
    ],
    ['does not match an empty term', requires({}), false],
    [
      'matches the name of the node',
      requires({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['here'] }] }),
      true,
    ],
  ];
  test.each(CASES)('%s', (_what, spec, expected) => {
    expect(requiredNodeAffinityOf(spec as never)?.matches(here)).toBe(expected);
  });
});

test('node names are known if every term has some', () => {
  const named = (name: string) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] });
  expect(requiredNodeAffinityOf(requires(named('a'), named('b')) as never)?.names).toEqual(new Set(['a', 'b']));
  expect(requiredNodeAffinityOf(requires(named('a'), expression('disk', 'Exists')) as never)?.names).toBeUndefined();
});

test('preferences without weight or terms are ignored', () => {
  const preferred = [
    { weight: 3, preference: expression('disk', 'Exists') },
    { weight: 0, preference: expression('disk', 'Exists') },
    { weight: 9, preference: {} },
  ];
  const spec = { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } };
  expect(nodePreferencesOf(spec as never).map(({ weight }) => weight)).toEqual([3]);
});
