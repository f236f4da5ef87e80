import { expect, it } from 'vitest';
import type { Service } from '#platform/kube/kinds/core';
import type { EndpointSlice } from '#platform/kube/kinds/network';
import type { Pod } from '#platform/kube/kinds/pod';
import { nodePortsOf, serviceTargets } from './service-targets.ts';

const service = (spec: object) => ({ metadata: { name: 'web', namespace: 'shop' }, spec }) as unknown as Service;
const ports = [
  { name: 'http', port: 80, nodePort: 30080 },
  { name: 'dns', port: 53, nodePort: 30053, protocol: 'UDP' },
  { name: 'new', port: 81 },
];

it.each([
  ['ClusterIP', []],
  ['NodePort', [{ nodePort: 30080, name: 'http', namespace: 'shop', service: 'web' }]],
  ['LoadBalancer', [{ nodePort: 30080, name: 'http', namespace: 'shop', service: 'web' }]],
])('a Service of type %s has the node ports %j', (type, expected) => {
  expect(nodePortsOf(service({ type, ports }))).toEqual(expected);
});

const pod = (uid: string) =>
  ({ metadata: { uid, labels: { 'kubevirt.io/created-by': 'vmi-1' } }, spec: { nodeName: 'n' } }) as unknown as Pod;
const port = { nodePort: 30080, name: 'http', namespace: 'shop', service: 'web' };
const slice = (change: object, endpoint: object = {}) =>
  ({
    metadata: { namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
    ports: [{ name: 'http', port: 8080 }],
    endpoints: [{ addresses: ['10.0.0.1'], targetRef: { kind: 'Pod', name: 'p', uid: 'u' }, ...endpoint }],
    ...change,
  }) as unknown as EndpointSlice;
const find = (given: EndpointSlice) => serviceTargets(port, [given], (name) => (name === 'p' ? pod('u') : undefined));

it('finds the guests behind a port', () => {
  expect(find(slice({}))).toEqual([{ node: 'n', machine: 'vmi-1', port: 8080 }]);
});

it.each([
  ['that is not ready', slice({}, { conditions: { ready: false } })],
  ['of a pod that was replaced', slice({}, { targetRef: { kind: 'Pod', name: 'p', uid: 'old' } })],
  ['of a pod in another namespace', slice({}, { targetRef: { kind: 'Pod', name: 'q', uid: 'u' } })],
  ['that is only an address', slice({}, { targetRef: undefined })],
  ['of another Service', slice({ metadata: { namespace: 'shop', labels: { 'kubernetes.io/service-name': 'db' } } })],
  ['of another namespace', slice({ metadata: { namespace: 'x', labels: { 'kubernetes.io/service-name': 'web' } } })],
  ['of another port', slice({ ports: [{ name: 'metrics', port: 9090 }] })],
])('uses no endpoint %s', (_what, given) => {
  expect(find(given)).toEqual([]);
});
