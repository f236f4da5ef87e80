import { expect, test } from 'vitest';
import type { Container, PodSpec } from '#platform/kube/kinds/pod';
import { pod } from '../harness.fixture.ts';
import { requestsOf } from './requests.ts';

const MI = 1024 * 1024;
const container = (requests: Record<string, string>, more: Partial<Container> = {}): Container => ({
  name: 'c',
  resources: { requests },
  ...more,
});

const CASES: readonly [what: string, spec: Partial<PodSpec>, expected: Partial<ReturnType<typeof requestsOf>>][] = [
  [
    'the requests of containers are added',
    { containers: [container({ cpu: '100m', memory: '64Mi' }), container({ cpu: '1', memory: '1Gi' })] },
    { cpu: 1100, memory: 1088 * MI, nonZeroCpu: 1100, nonZeroMemory: 1088 * MI },
  ],
  [
    'a container without requests counts with a default, for scores only',
    { containers: [container({}), container({ cpu: '0' })] },
    { cpu: 0, memory: 0, nonZeroCpu: 100, nonZeroMemory: 400 * MI },
  ],
  [
    'init containers count if they request more than the others',
    {
      containers: [container({ cpu: '500m', memory: '512Mi' })],
      initContainers: [container({ cpu: '2', memory: '64Mi' })],
    },
    { cpu: 2000, memory: 512 * MI },
  ],
  [
    'a sidecar is added to the containers, and to later init containers',
    {
      containers: [container({ cpu: '500m' })],
      initContainers: [container({ cpu: '300m' }, { restartPolicy: 'Always' }), container({ cpu: '1' })],
    },
    { cpu: 1300 },
  ],
  ['overhead is added', { containers: [container({ cpu: '1' })], overhead: { cpu: '250m' } }, { cpu: 1250 }],
  [
    'pod-level requests replace the sum',
    { containers: [container({ cpu: '1' })], resources: { requests: { cpu: '3' } } },
    { cpu: 3000, nonZeroCpu: 3000, nonZeroMemory: 200 * MI },
  ],
  [
    'extended resources and huge pages are counted, unknown names are not',
    { containers: [container({ 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi', bananas: '7' })] },
    {
      scalars: [
        ['example.com/gpu', 2],
        ['hugepages-2Mi', 4 * MI],
      ],
    },
  ],
  [
    'fractions of a byte or a millicore are rounded up',
    { containers: [container({ cpu: '0.0001', memory: '100m' })] },
    { cpu: 1, memory: 1 },
  ],
];

test.each(CASES)('%s', (_what, spec, expected) => {
  expect(requestsOf(pod('p', spec))).toMatchObject(expected);
});

test('a container that is being shrunk counts with its allocated resources until the resize is done', () => {
  const shrinking = pod('p', {
    containers: [container({ cpu: '1' })],
    status: { containerStatuses: [{ name: 'c', resources: {}, allocatedResources: { cpu: '2' } } as object] },
  });
  expect(requestsOf(shrinking).cpu).toBe(2000);
});
