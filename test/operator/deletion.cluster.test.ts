import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import type { HttpClient } from '#platform/kube/http/http-client';
import { conditionOf, type KubeCondition } from '#platform/kube/kinds/condition';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { PODS } from '#platform/kube/kinds/pod';
import { missingAssets } from '../cluster/assets.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { createMachines, machine, untilRunning } from './fleet-of-machines.ts';
import { helm, type Installation, installChart } from './installation.ts';

const TIMEOUT = { timeout: 60_000, interval: 200 };
const CHART = 'deploy/helm/vimana';
const namespace = 'default';

interface Conditioned {
  readonly conditions?: readonly KubeCondition[];
}

describe.skipIf(missingAssets().length > 0)('without a running operator', () => {
  let cluster: RealCluster;
  let client: HttpClient;
  let installed: Installation;

  beforeAll(async () => {
    cluster = await startRealCluster({ nodes: 2 });
    client = await cluster.client();
    installed = await installChart(cluster);
    await (await installed.startReplica()).untilReady();
    await client.create(NAMESPACES, { metadata: { name: 'with-a-machine' } });
    await vi.waitFor(() => createMachines(client, 'with-a-machine', ['c']), TIMEOUT);
    await createMachines(client, namespace, ['a', 'b', 'd']);
    await untilRunning(client, namespace, 3, 60_000);
    await installed.replicas[0]?.kill();
  });
  afterAll(async () => {
    await installed?.stop();
    await cluster?.stop();
  });

  const gone = async (name: string) =>
    await vi.waitFor(
      async () => await expect(client.get(NAMESPACES, name)).rejects.toMatchObject({ code: 404 }),
      TIMEOUT,
    );

  it('no object of ours is admitted without validation', async () => {
    await expect(client.create(VMS, machine('late', namespace))).rejects.toMatchObject({ code: 500 });
  });

  it('every deletion is accepted, single and of collections', async () => {
    const pods = (await client.list(PODS, { namespace })).items;
    expect(pods).toHaveLength(3);
    await client.delete(PODS, pods[0]?.metadata.name ?? '', { namespace });
    await client.delete(VMIS, 'a', { namespace });
    await client.delete(VMS, 'b', { namespace });
    await client.request({ method: 'DELETE', path: `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines` });
    await client.delete(NAMESPACES, 'with-a-machine');
    expect((await client.get(VMIS, 'a', { namespace })).metadata.deletionTimestamp).toBeDefined();
    for (const name of ['a', 'b', 'd']) {
      expect((await client.get(VMS, name, { namespace })).metadata.deletionTimestamp).toBeDefined();
    }
  });

  it('finalizers can be removed by hand, which deletes the object', async () => {
    await client.patch(VMS, 'b', { type: 'merge', body: { metadata: { finalizers: null } } }, { namespace });
    await expect(client.get(VMS, 'b', { namespace })).rejects.toMatchObject({ code: 404 });
  });

  it('Kubernetes completes no namespace deletion while an API group is registered but not served', async () => {
    await vi.waitFor(async () => {
      const path = '/apis/apiregistration.k8s.io/v1/apiservices/v1.subresources.kubevirt.io';
      const { body } = (await client.request({ method: 'GET', path })) as { body: { status?: Conditioned } };
      expect(conditionOf(body.status?.conditions, 'Available')?.status).toBe('False');
    }, TIMEOUT);
    await client.create(NAMESPACES, { metadata: { name: 'empty' } });
    await client.delete(NAMESPACES, 'empty');
    await vi.waitFor(async () => {
      const { status } = (await client.get(NAMESPACES, 'empty')) as { status?: Conditioned };
      const failure = conditionOf(status?.conditions, 'NamespaceDeletionDiscoveryFailure');
      expect([failure?.status, failure?.message]).toEqual([
        'True',
        expect.stringContaining('subresources.kubevirt.io'),
      ]);
    }, TIMEOUT);
  });

  it('a release without subresources does not block the deletion of namespaces', async () => {
    const { name, namespace: home } = installed;
    await helm(cluster, 'upgrade', name, CHART, '-n', home, '--reuse-values', '--set', 'subresources=false');
    await gone('empty');
    await client.create(NAMESPACES, { metadata: { name: 'another' } });
    await client.delete(NAMESPACES, 'another');
    await gone('another');
  });

  it('VMs that were deleted meanwhile are cleaned up when it returns', async () => {
    await (await installed.startReplica()).untilReady();
    await vi.waitFor(async () => {
      expect((await client.list(VMS)).items).toEqual([]);
      expect((await client.list(VMIS)).items).toEqual([]);
      expect((await client.list(PODS, { namespace })).items).toEqual([]);
    }, TIMEOUT);
    await gone('with-a-machine');
  });
});
