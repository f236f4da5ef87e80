import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crdOf } from '../../api/crd.ts';
import { IDENTITY_ANNOTATION } from '../../api/instance-request.ts';
import { virtualMachineInstance, virtualMachineInstanceMigration } from '../../api/kubevirt/group.ts';
import type { Client } from '../../kube/client.ts';
import { VMIS, type Vmi } from '../../kube/kinds/machines.ts';
import { LEASES, NODES } from '../../kube/kinds/node.ts';
import { PODS, type Pod } from '../../kube/kinds/pod.ts';
import { resourceType } from '../../kube/kinds/resource-type.ts';
import { isNotFound } from '../../kube/kube-error.ts';
import { Informers } from '../../runtime/informers.ts';
import { manager } from '../../runtime/manager.ts';
import { type Cluster, startCluster } from '../../testing/cluster.ts';
import { Fleet, type FleetOptions } from './fleet.ts';

const namespace = 'default';
const CRDS = resourceType(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  'Cluster',
);

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
  for (const kind of [virtualMachineInstance, virtualMachineInstanceMigration]) {
    await admin.create(CRDS, crdOf(kind));
  }
  await cluster.until(() =>
    admin.list(VMIS).then(
      () => true,
      () => false,
    ),
  );
});
afterEach(() => cluster.stop());

function startFleet(options: Partial<FleetOptions> = {}) {
  const { clock, random, log } = cluster;
  const informers = new Informers({ clock, random, log, client: admin });
  const fleet = new Fleet({ client: admin, informers, clock, random, log }, { pools: [{ count: 2 }], ...options });
  const stop = cluster.run(manager('test', [informers, fleet]));
  return { fleet, stop };
}

const isReady = async (name: string) =>
  (await admin.get(NODES, name)).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');

describe('a fleet', () => {
  it('registers its nodes, with leases', async () => {
    startFleet();
    await cluster.until(() => admin.get(LEASES, 'kwok-node-2', { namespace: 'kube-node-lease' }).catch(() => false));
    expect(await isReady('kwok-node-1')).toBe(true);
    const node = await admin.get(NODES, 'kwok-node-2');
    expect(node.status?.allocatable).toEqual({ cpu: '32', memory: '128Gi', pods: '110', 'ephemeral-storage': '1Ti' });
  });

  it('runs a plain pod', async () => {
    startFleet();
    await admin.create(PODS, {
      metadata: { name: 'p', namespace },
      spec: { nodeName: 'kwok-node-1', containers: [{ name: 'main', image: 'registry.example.com/app:1' }] },
    });
    const pod = await cluster.until(async () => {
      const found = await admin.get(PODS, 'p', { namespace });
      return found.status?.phase === 'Running' && found;
    });
    expect(pod.status).toMatchObject({ podIP: '10.245.0.1', hostIP: '10.246.0.1' });
    await admin.delete(PODS, 'p', { namespace });
    await cluster.until(() => admin.get(PODS, 'p', { namespace }).then(() => false, isNotFound));
  });

  it('runs the machine of a launcher', async () => {
    startFleet();
    const vmi = await makeInstance('m');
    await makeLauncher(vmi, 'kwok-node-1');
    await cluster.until(async () => {
      const found = await admin.get(VMIS, 'm', { namespace });
      return found.status?.phase === 'Running' && found;
    });
  });
});

async function makeInstance(name: string, spec: object = {}): Promise<Vmi> {
  return await admin.create(VMIS, {
    metadata: {
      name,
      namespace,
      annotations: {
        [IDENTITY_ANNOTATION]: JSON.stringify({ default: { mac: '02:00:00:00:00:01', ip: '10.244.0.7' } }),
      },
    },
    spec: { domain: { memory: { guest: '1Gi' }, devices: {} }, ...spec },
  });
}

async function makeLauncher({ metadata }: Vmi, nodeName: string): Promise<Pod> {
  return await admin.create(PODS, {
    metadata: {
      name: `launcher-${metadata.name}`,
      namespace,
      labels: { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': metadata.uid },
      ownerReferences: [
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachineInstance',
          name: metadata.name,
          uid: metadata.uid,
          controller: true,
        },
      ],
    },
    spec: { nodeName, restartPolicy: 'Never', containers: [{ name: 'compute', image: 'registry.example.com/l:1' }] },
  });
}
