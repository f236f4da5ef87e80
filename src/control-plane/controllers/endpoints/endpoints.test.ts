import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { SERVICES } from '#platform/kube/kinds/core';
import { ENDPOINT_SLICES, ENDPOINTS } from '#platform/kube/kinds/network';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { type Cluster, startCluster } from '#testing/cluster';
import { runController } from '#testing/controller-deps';
import { endpointsCollector, endpointsController } from './endpoints-controller.ts';
import { endpointSliceMirroring } from './mirror-controller.ts';
import { endpointSliceController } from './slice-controller.ts';

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
  runController(cluster, 'endpointslice-controller', endpointSliceController());
  runController(cluster, 'endpoint-controller', endpointsController());
  runController(cluster, 'endpoint-controller', endpointsCollector());
  runController(cluster, 'endpointslicemirroring-controller', endpointSliceMirroring());
  const labels = { 'topology.kubernetes.io/zone': 'z' };
  await admin.create(NODES, { metadata: { name: 'n', labels } });
});
afterEach(() => cluster.stop());

const namespace = 'default';
const labels = { app: 'web' };
const ports = [
  { name: 'http', port: 80, targetPort: 'web' },
  { name: 'metrics', port: 90, targetPort: 9090 },
];
const createService = (spec: object = { selector: labels }) =>
  admin.create(SERVICES, { metadata: { name: 'web', namespace, labels: { team: 'a' } }, spec: { ports, ...spec } });
const createPod = async (name: string, ip: string, ready = true) => {
  const containers = [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort: 8080 }] }];
  await admin.create(PODS, { metadata: { name, namespace, labels }, spec: { nodeName: 'n', containers } });
  await report(name, { podIP: ip, podIPs: [{ ip }], ...readiness(ready) });
};
const readiness = (ready: boolean) => ({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: timestamp(cluster.clock.now()) }],
});
const report = (name: string, status: object) =>
  admin.patch(PODS, name, { type: 'merge', body: { status } }, { namespace, subresource: 'status' });
const selection = { namespace, labelSelector: 'kubernetes.io/service-name=web' };
const slices = async () => (await admin.list(ENDPOINT_SLICES, selection)).items;
const endpoints = async () => (await admin.list(ENDPOINTS, { namespace })).items.find((e) => e.metadata.name === 'web');
const addresses = async () =>
  (await slices()).flatMap((slice) => slice.endpoints ?? []).map((each) => [each.addresses[0], each.conditions?.ready]);

describe('the endpoints of a service', () => {
  it('are its ready pods, in EndpointSlices and Endpoints', async () => {
    await createService();
    await cluster.until(async () => (await slices()).length === 1 && (await endpoints()) !== undefined);
    expect((await endpoints())?.subsets).toBeUndefined();
    await createPod('a', '10.0.0.1');
    await createPod('b', '10.0.0.2', false);
    await cluster.until(async () => (await addresses()).length === 2);
    const [slice] = await slices();
    expect(slice).toMatchObject({
      metadata: {
        labels: { team: 'a', 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' },
        ownerReferences: [{ kind: 'Service', name: 'web', controller: true }],
        annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': timestamp(cluster.clock.now()) },
      },
      addressType: 'IPv4',
      ports: [
        { name: 'http', port: 8080, protocol: 'TCP' },
        { name: 'metrics', port: 9090, protocol: 'TCP' },
      ],
      endpoints: [
        {
          addresses: ['10.0.0.1'],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: 'n',
          zone: 'z',
          targetRef: { kind: 'Pod', name: 'a' },
        },
        { addresses: ['10.0.0.2'], conditions: { ready: false, serving: false, terminating: false } },
      ],
    });
    await cluster.until(async () => (await endpoints())?.subsets?.[0]?.addresses?.length === 1);
    expect(await endpoints()).toMatchObject({
      metadata: { labels: { team: 'a', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } },
      subsets: [{ addresses: [{ ip: '10.0.0.1', nodeName: 'n' }], notReadyAddresses: [{ ip: '10.0.0.2' }] }],
    });
    await report('b', readiness(true));
    await cluster.until(async () => (await addresses()).every(([, ready]) => ready === true));
    await admin.delete(PODS, 'a', { namespace, gracePeriodSeconds: 0 });
    await cluster.until(async () => (await addresses()).length === 1);
    await admin.delete(SERVICES, 'web', { namespace });
    await cluster.until(async () => (await endpoints()) === undefined);
    expect(cluster.log.entries.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('are restored if others delete them, and are written once', async () => {
    await createService();
    await createPod('a', '10.0.0.1');
    await cluster.until(async () => (await addresses()).length === 1);
    const [first] = await slices();
    await admin.delete(ENDPOINT_SLICES, first?.metadata.name ?? '', { namespace });
    await cluster.until(async () => (await addresses()).length === 1);
    await cluster.settle();
    const versions = async () => [...(await slices()), await endpoints()].map((each) => each?.metadata.resourceVersion);
    const before = await versions();
    await cluster.clock.advance(60_000);
    expect(await versions()).toEqual(before);
  });

  it('are mirrored to EndpointSlices if users maintain them', async () => {
    await createService({});
    await admin.create(ENDPOINTS, {
      metadata: { name: 'web', namespace, labels: { mine: 'yes' }, annotations: { note: 'x' } },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }], ports: [{ port: 80 }] }],
    });
    await cluster.until(async () => (await slices()).length === 2);
    const sorted = (await slices()).toSorted((a, b) => (a.addressType < b.addressType ? -1 : 1));
    expect(sorted).toMatchObject([
      { addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true } }] },
      { addressType: 'IPv6', endpoints: [{ addresses: ['2001:db8::1'] }], ports: [{ port: 80, name: '' }] },
    ]);
    expect(sorted[0]?.metadata).toMatchObject({
      labels: { mine: 'yes', 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' },
      annotations: { note: 'x' },
      ownerReferences: [{ kind: 'Endpoints', name: 'web' }],
    });
    const body = { metadata: { annotations: { note: 'y' } }, subsets: [{ addresses: [{ ip: '192.0.2.2' }] }] };
    await admin.patch(ENDPOINTS, 'web', { type: 'merge', body }, { namespace });
    await cluster.until(async () => (await addresses()).join() === '192.0.2.2,true');
    expect((await slices())[0]?.metadata.annotations).toEqual({ note: 'y' });
    const selecting = { spec: { selector: labels } };
    await admin.patch(SERVICES, 'web', { type: 'merge', body: selecting }, { namespace });
    await cluster.until(async () => (await addresses()).length === 0);
  });
});
