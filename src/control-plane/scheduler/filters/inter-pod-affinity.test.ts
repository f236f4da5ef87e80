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

describe('required pod affinity', () => {
  const CASES: readonly [
    what: string,
    pods: Record<string, ReturnType<typeof pod>[]>,
    parts: PodOptions,
    expected: object,
  ][] = [
    [
      'includes the whole topology domain',
      { a1: [of('x')] },
      near(term('x')),
      { a1: '', a2: '', b: NOT_NEAR, nowhere: NOT_NEAR },
    ],
    [
      'can be limited to the host',
      { a1: [of('x')] },
      near(term('x', HOSTNAME)),
      { a1: '', a2: NOT_NEAR, b: NOT_NEAR, nowhere: NOT_NEAR },
    ],
    [
      'rejects all nodes if no pod matches',
      {},
      near(term('x')),
      { a1: NOT_NEAR, a2: NOT_NEAR, b: NOT_NEAR, nowhere: NOT_NEAR },
    ],
    [
      'lets the first pod of a group onto any node with the label',
      {},
      { ...near(term('x')), labels: { app: 'x' } },
      { a1: '', a2: '', b: '', nowhere: NOT_NEAR },
    ],
    ['ignores pods of other namespaces', { a1: [of('x', { namespace: 'other' })] }, near(term('x')), { a1: NOT_NEAR }],
    [
      'includes namespaces that it names',
      { a1: [of('x', { namespace: 'other' })] },
      near(term('x', ZONE, { namespaces: ['other'] })),
      { a1: '', b: NOT_NEAR },
    ],
    [
      'includes namespaces that it selects',
      { a1: [of('x', { namespace: 'other' })] },
      near(term('x', ZONE, { namespaceSelector: { matchLabels: { team: 'o' } } })),
      { a1: '', b: NOT_NEAR },
    ],
    [
      'includes all namespaces with an empty selector',
      { a1: [of('x', { namespace: 'other' })] },
      near(term('x', ZONE, { namespaceSelector: {} })),
      { a1: '', b: NOT_NEAR },
    ],
    [
      'requires a pod that matches all terms',
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

test('a pod with anti-affinity avoids matching pods', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [of('x')] } });
  expect(filterResults(interPodAffinity, pod('p', away(term('x'))), cluster)).toEqual({
    a1: TOO_NEAR,
    a2: TOO_NEAR,
    b: '',
    nowhere: '',
  });
});

test('existing pods with anti-affinity reject matching pods', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [of('x', away(term('y')))] } });
  const expected = { a1: UNWANTED, a2: UNWANTED, b: '', nowhere: '' };
  expect(filterResults(interPodAffinity, of('y'), cluster)).toEqual(expected);
  expect(filterResults(interPodAffinity, of('z'), cluster)).toBe('-');
});

test('the anti-affinity of a deleted pod has no effect', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [of('x', away(term('y')))] } });
  cluster.nodes.removePod('uid-default-of-x');
  expect(filterResults(interPodAffinity, of('y'), cluster)).toBe('-');
});
