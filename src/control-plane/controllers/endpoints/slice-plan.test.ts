import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Endpoint, EndpointPort, EndpointSlice } from '#platform/kube/kinds/network';
import { endpointKey } from './slice-endpoint.ts';
import { groupByPorts, MAX_ENDPOINTS, planSlices } from './slice-plan.ts';

const HTTP: EndpointPort[] = [{ name: 'http', protocol: 'TCP', port: 80 }];
const DNS: EndpointPort[] = [{ name: 'dns', protocol: 'UDP', port: 53 }];
const shape = { metadata: { generateName: 'web-', labels: { app: 'web' } }, addressType: 'IPv4' };
const endpointOf = (number: number, ready = true): Endpoint => ({
  addresses: [`10.0.${Math.floor(number / 250)}.${number % 250}`],
  conditions: { ready },
  targetRef: { kind: 'Pod', namespace: 'default', name: `p${number}` },
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => endpointOf(from + at));
const sliceOf = (name: string, endpoints: Endpoint[], ports = HTTP, labels = { app: 'web' }): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name, labels },
  addressType: 'IPv4',
  endpoints,
  ports,
});
const plan = (endpoints: readonly Endpoint[], existing: EndpointSlice[], ports = HTTP) => {
  const found = planSlices(shape, groupByPorts(endpoints.map((each) => [ports, each] as const)), existing);
  return {
    create: found.create.map((slice) => (slice as EndpointSlice).endpoints?.length),
    update: found.update.map(({ metadata, endpoints: list }) => [metadata.name, list?.length]),
    delete: found.delete.map(({ metadata }) => metadata.name),
  };
};

describe('the slices of a service', () => {
  it.each<[string, readonly Endpoint[], EndpointSlice[], object]>([
    ['are created, the full ones first', range(0, 150), [], { create: [100, 50], update: [], delete: [] }],
    ['are one empty slice if there are no pods', [], [], { create: [0], update: [], delete: [] }],
    ['stay one empty slice', [], [sliceOf('a', [], [])], { create: [], update: [], delete: [] }],
    [
      'become one empty slice when the last pod is deleted',
      [],
      [sliceOf('a', range(0, 2))],
      { create: [], update: [['a', 0]], delete: [] },
    ],
    [
      'include the empty one when pods are created',
      range(0, 2),
      [sliceOf('a', [], [])],
      { create: [], update: [['a', 2]], delete: [] },
    ],
    [
      'are unchanged if the endpoints are',
      range(0, 2),
      [sliceOf('a', range(0, 2))],
      { create: [], update: [], delete: [] },
    ],
    [
      'change with the state of an endpoint',
      [endpointOf(0, false)],
      [sliceOf('a', [endpointOf(0)])],
      { create: [], update: [['a', 1]], delete: [] },
    ],
    [
      'change with the labels of the service',
      range(0, 2),
      [sliceOf('a', range(0, 2), HTTP, { app: 'old' })],
      { create: [], update: [['a', 2]], delete: [] },
    ],
    [
      'replace a deleted endpoint by a new one, without changes to other slices',
      [...range(1, 60), ...range(100, 160), ...range(200, 205)],
      [sliceOf('a', range(0, 60)), sliceOf('b', range(100, 160))],
      { create: [], update: [['a', 64]], delete: [] },
    ],
    [
      'get new endpoints in the fullest slice with room',
      [...range(0, 90), ...range(100, 160), ...range(200, 205)],
      [sliceOf('b', range(100, 160)), sliceOf('a', range(0, 90))],
      { create: [], update: [['a', 95]], delete: [] },
    ],
    [
      'are deleted if they become empty and another is not',
      range(0, 2),
      [sliceOf('a', range(0, 2)), sliceOf('b', range(5, 7))],
      { create: [], update: [], delete: ['b'] },
    ],
    [
      'change with the ports of the service',
      range(0, 2),
      [sliceOf('a', range(0, 2), DNS)],
      { create: [], update: [['a', 2]], delete: [] },
    ],
  ])('%s', (_what, endpoints, existing, expected) => {
    expect(plan(endpoints, existing)).toEqual(expected);
  });

  it('contain every endpoint once, never exceed the maximum, and are unchanged by a second plan', () => {
    const numbers = fc.uniqueArray(fc.nat({ max: 400 }), { maxLength: 300 });
    fc.assert(
      fc.property(numbers, numbers, fc.nat({ max: 120 }), (before, after, size) => {
        const width = size + 1;
        const existing = Array.from({ length: Math.ceil(before.length / width) }, (_, at) =>
          sliceOf(
            `s${at}`,
            before
              .slice(at * width, (at + 1) * width)
              .slice(0, MAX_ENDPOINTS)
              .map((n) => endpointOf(n)),
          ),
        );
        const groups = groupByPorts(after.map((number) => [HTTP, endpointOf(number)] as const));
        const { create, update, delete: gone } = planSlices(shape, groups, existing);
        const written = [...existing.filter((slice) => !gone.includes(slice)), ...create].map((slice, at) => {
          const changed = update.find(({ metadata }) => metadata.name === slice.metadata.name);
          const { endpoints, ports } = (changed ?? slice) as EndpointSlice;
          return sliceOf(slice.metadata.name ?? `new${at}`, [...(endpoints ?? [])], [...(ports ?? [])]);
        });
        const held = written.flatMap(({ endpoints }) => (endpoints ?? []).map(endpointKey));
        expect(held.toSorted()).toEqual(after.map((number) => endpointKey(endpointOf(number))).sort());
        expect(written.every(({ endpoints }) => (endpoints ?? []).length <= MAX_ENDPOINTS)).toBe(true);
        expect(planSlices(shape, groups, written)).toEqual({ create: [], update: [], delete: [] });
      }),
    );
  });
});
