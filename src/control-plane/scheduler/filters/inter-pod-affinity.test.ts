import { describe, expect, test } from 'vitest';
import { filterResults, HOSTNAME, node, type PodOptions, pod, schedulerHarness, ZONE } from '../harness.fixture.ts';
import { interPodAffinity } from './inter-pod-affinity.ts';

const NOT_NEAR = "node(s) didn't match pod affinity rules";
const TOO_NEAR = "node(s) didn't match pod anti-affinity rules";
const UNWANTED = "node(s) didn't satisfy existing pods anti-affinity rules";
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const term = (app: string, topologyKey = ZONE, more: object = {}) => ({
  topologyKey,
  labelSelector: { matchLabels: { app } },
  ...more,
});
const near = (...terms: object[]) => ({ affinity: { podAffinity: { [REQUIRED]: terms } } });
const away = (...terms: object[]) => ({ affinity: { podAntiAffinity: { [REQUIRED]: terms } } });
const of = (app: string, more: PodOptions = {}) => pod(`of-${app}`, { labels: { app }, ...more });

const nodes = [
  node('a1', { labels: { [ZONE]: 'a' } }),
  node('a2', { labels: { [ZONE]: 'a' } }),
  node('b', { labels: { [ZONE]: 'b' } }),
  node('nowhere'),
];

describe('pods that a pod must be near to', () => {
  const CASES: readonly [
    what: string,
    pods: Record<string, ReturnType<typeof pod>[]>,
    parts: PodOptions,
    expected: object,
  ][] = [
    ['the whole place counts', { a1: [of('x')] }, near(term('x')), { a1: '', a2: '', b: NOT_NEAR, nowhere: NOT_NEAR }],
    [
      'the host alone',
      { a1: [of('x')] },
      near(term('x', HOSTNAME)),
      { a1: '', a2: NOT_NEAR, b: NOT_NEAR, nowhere: NOT_NEAR },
    ],
    ['nobody is there', {}, near(term('x')), { a1: NOT_NEAR, a2: NOT_NEAR, b: NOT_NEAR, nowhere: NOT_NEAR }],
    [
      'the first of a group may go wherever the label is',
      {},
      { ...near(term('x')), labels: { app: 'x' } },
      { a1: '', a2: '', b: '', nowhere: NOT_NEAR },
    ],
    [
      'pods of other namespaces do not count',
      { a1: [of('x', { namespace: 'other' })] },
      near(term('x')),
      { a1: NOT_NEAR },
    ],
    [
      'unless they are named',
      { a1: [of('x', { namespace: 'other' })] },
      near(term('x', ZONE, { namespaces: ['other'] })),
      { a1: '', b: NOT_NEAR },
    ],
    [
      'or selected by their labels',
      { a1: [of('x', { namespace: 'other' })] },
      near(term('x', ZONE, { namespaceSelector: { matchLabels: { team: 'o' } } })),
      { a1: '', b: NOT_NEAR },
    ],
    [
      'or all',
      { a1: [of('x', { namespace: 'other' })] },
      near(term('x', ZONE, { namespaceSelector: {} })),
      { a1: '', b: NOT_NEAR },
    ],
    [
      'a pod must be all that the terms name',
      { a1: [of('x')], b: [of('y')] },
      near(term('x'), term('y')),
      { a1: NOT_NEAR, b: NOT_NEAR },
    ],
  ];
  test.each(CASES)('%s', (_what, pods, parts, expected) => {
    const cluster = schedulerHarness({ nodes, pods, namespaces: { default: {}, other: { team: 'o' } } });
    expect(filterResults(interPodAffinity, pod('p', parts), cluster)).toMatchObject(expected);
  });
});

test('a pod keeps away from those that it names', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [of('x')] } });
  expect(filterResults(interPodAffinity, pod('p', away(term('x'))), cluster)).toEqual({
    a1: TOO_NEAR,
    a2: TOO_NEAR,
    b: '',
    nowhere: '',
  });
});

test('pods that are there keep those away that they name', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [of('x', away(term('y')))] } });
  const expected = { a1: UNWANTED, a2: UNWANTED, b: '', nowhere: '' };
  expect(filterResults(interPodAffinity, of('y'), cluster)).toEqual(expected);
  expect(filterResults(interPodAffinity, of('z'), cluster)).toBe('-');
});

test('a pod that leaves takes its wishes along', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [of('x', away(term('y')))] } });
  cluster.nodes.removePod('uid-default-of-x');
  expect(filterResults(interPodAffinity, of('y'), cluster)).toBe('-');
});
