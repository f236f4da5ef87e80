import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantityOf, value } from '#platform/base/quantity';
import { formatAmounts } from './amounts.ts';
import { type PodResources, podLimits, podRequests } from './pod-resources.ts';

const c = (requests: Record<string, string | number>, more: object = {}) => ({
  name: 'c',
  resources: { requests },
  ...more,
});
const sidecar = (requests: Record<string, string>) => c(requests, { restartPolicy: 'Always' });
const resized = (reported: object, more: object = {}) => ({
  spec: { containers: [c({ cpu: '1' })] },
  status: { containerStatuses: [{ name: 'c', ...reported }], ...more },
});
const infeasible = { conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }] };

describe('the requests of a pod', () => {
  it.each<[string, PodResources, Record<string, string>]>([
    ['are none without containers', { spec: { containers: null } }, {}],
    [
      'are the sum of its containers',
      { spec: { containers: [c({ cpu: '500m', memory: '1Gi' }), c({ cpu: 1 })] } },
      { cpu: '1500m', memory: '1Gi' },
    ],
    [
      'are those of an init container if it requests more',
      { spec: { containers: [c({ cpu: '1' })], initContainers: [c({ cpu: '3' }), c({ cpu: '2' })] } },
      { cpu: '3' },
    ],
    [
      'include a sidecar with later init containers',
      {
        spec: {
          containers: [c({ cpu: '1' })],
          initContainers: [c({ cpu: '2' }), sidecar({ cpu: '500m' }), c({ cpu: '2' })],
        },
      },
      { cpu: '2500m' },
    ],
    [
      'include a sidecar with the containers',
      { spec: { containers: [c({ cpu: '1' })], initContainers: [sidecar({ cpu: '500m' })] } },
      { cpu: '1500m' },
    ],
    [
      'are those at pod level for supported resources',
      {
        spec: {
          containers: [c({ cpu: '1', 'ephemeral-storage': '1' })],
          resources: { requests: { cpu: '4', 'hugepages-2Mi': '4Mi', 'ephemeral-storage': '9' } },
        },
      },
      { cpu: '4', 'ephemeral-storage': '1', 'hugepages-2Mi': '4Mi' },
    ],
    [
      'include the overhead',
      {
        spec: {
          containers: [c({ cpu: '1' })],
          resources: { requests: { cpu: '4' } },
          overhead: { cpu: '250m', memory: '1Mi' },
        },
      },
      { cpu: '4250m', memory: '1Mi' },
    ],
    ['ignore the status unless requested', resized({ resources: { requests: { cpu: '2' } } }), { cpu: '1' }],
  ])('%s', (_what, pod, expected) => {
    expect(formatAmounts(podRequests(pod))).toEqual(expected);
  });

  it('omit the overhead and use defaults if requested', () => {
    const pod = { spec: { containers: [c({ cpu: '1' }), c({ memory: '0' })], overhead: { cpu: '1' } } };
    const missing = new Map([
      ['cpu', quantityOf(2)],
      ['memory', quantityOf(3)],
    ]);
    expect(formatAmounts(podRequests(pod, { missing, excludeOverhead: true }))).toEqual({ cpu: '3', memory: '3' });
  });
});

describe('the requests of a pod that is being resized', () => {
  it.each<[string, PodResources, string]>([
    [
      'are the allocated resources if they are larger',
      resized({ resources: {}, allocatedResources: { cpu: '2' } }),
      '2',
    ],
    [
      'are the actual resources if they are larger',
      resized({ resources: { requests: { cpu: '3' } }, allocatedResources: { cpu: '2' } }),
      '3',
    ],
    ['are the desired resources if they are larger', resized({ resources: { requests: { cpu: '500m' } } }), '1'],
    [
      'are not the desired resources if the resize is infeasible',
      resized({ resources: { requests: { cpu: '500m' } } }, infeasible),
      '500m',
    ],
    ['are those of the spec until the node reports any', resized({ allocatedResources: { cpu: '2' } }), '1'],
    [
      'include a resized sidecar',
      {
        spec: { containers: [], initContainers: [sidecar({ cpu: '1' })] },
        status: { initContainerStatuses: [{ name: 'c', resources: { requests: { cpu: '2' } } }] },
      },
      '2',
    ],
    [
      'ignore the status of an init container, which cannot be resized',
      {
        spec: { containers: [], initContainers: [c({ cpu: '1' })] },
        status: { initContainerStatuses: [{ name: 'c', resources: { requests: { cpu: '2' } } }] },
      },
      '1',
    ],
    [
      'are those of the status at pod level',
      {
        spec: { resources: { requests: { cpu: '1' } } },
        status: { resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '3' } },
      },
      '3',
    ],
  ])('%s', (_what, pod, cpu) => {
    expect(formatAmounts(podRequests(pod, { status: 'pod' }))).toEqual({ cpu });
  });

  it('count the status at pod level only if requested', () => {
    const pod = { spec: { resources: { requests: { cpu: '1' } } }, status: { resources: { requests: { cpu: '2' } } } };
    expect(formatAmounts(podRequests(pod, { status: 'containers' }))).toEqual({ cpu: '1' });
  });
});

it('limits include the overhead only if there is a limit', () => {
  const limits = { cpu: '1', memory: '0' };
  const pod = { spec: { containers: [{ resources: { limits } }], overhead: { cpu: '1', memory: '1', pods: '1' } } };
  expect(formatAmounts(podLimits(pod))).toEqual({ cpu: '2', memory: '0' });
});

const amount = fc.integer({ min: 0, max: 20 });
const start = fc.record({ cpu: amount, restartable: fc.boolean() });

it('a pod requests the maximum of all its phases', () => {
  const property = fc.property(fc.array(amount), fc.array(start), amount, (containers, starts, overhead) => {
    const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
    const before = (i: number) => sum(starts.slice(0, i).flatMap(({ cpu, restartable }) => (restartable ? cpu : [])));
    const moments = [...starts.map(({ cpu }, i) => before(i) + cpu), before(starts.length) + sum(containers)];
    const initContainers = starts.map(({ cpu, restartable }) =>
      restartable ? sidecar({ cpu: String(cpu) }) : c({ cpu }),
    );
    const spec = { containers: containers.map((cpu) => c({ cpu })), initContainers, overhead: { cpu: overhead } };
    const requested = podRequests({ spec }).get('cpu');
    expect(requested === undefined ? undefined : value(requested)).toBe(Math.max(...moments) + overhead);
  });
  fc.assert(property);
});
