import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import type { HttpClient } from '#platform/kube/http/http-client';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { missingAssets } from '../cluster/assets.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { createMachines, machine, untilRunning } from './fleet-of-machines.ts';
import { type Installation, installChart } from './installation.ts';

const TIMEOUT = { timeout: 60_000, interval: 200 };

describe.skipIf(missingAssets().length > 0)('an operator for one namespace', () => {
  let cluster: RealCluster;
  let client: HttpClient;
  let installed: Installation;

  beforeAll(async () => {
    cluster = await startRealCluster({ nodes: 2 });
    client = await cluster.client();
    for (const name of ['looked-after', 'apart']) await client.create(NAMESPACES, { metadata: { name } });
    installed = await installChart(cluster, { set: ['watchNamespace=looked-after'] });
    await (await installed.startReplica()).untilReady();
  });
  afterAll(async () => {
    await installed?.stop();
    await cluster?.stop();
  });

  it('runs VMs there, and ignores all others', async () => {
    await createMachines(client, 'apart', ['left-alone']);
    await vi.waitFor(() => createMachines(client, 'looked-after', ['first']), TIMEOUT);
    await createMachines(client, 'looked-after', ['second']);
    await untilRunning(client, 'looked-after', 2, TIMEOUT.timeout);
    const other = await client.get(VMS, 'left-alone', { namespace: 'apart' });
    expect([other.status, other.metadata.finalizers]).toEqual([undefined, undefined]);
    expect((await client.list(VMIS)).items.map(({ metadata }) => metadata.namespace)).toEqual([
      'looked-after',
      'looked-after',
    ]);
  });

  it('rejects invalid objects there, and does not affect others', async () => {
    const bad = (namespace: string) => machine('bad', namespace, { networks: [{ name: 'x' }] });
    const refused = client.create(VMS, bad('looked-after'), { namespace: 'looked-after' });
    await expect(refused).rejects.toMatchObject({ code: 422 });
    await installed.replicas[0]?.kill();
    await expect(client.create(VMS, machine('late', 'looked-after'))).rejects.toMatchObject({ code: 500 });
    await expect(client.create(VMS, bad('apart'))).resolves.toBeDefined();
  });
});
