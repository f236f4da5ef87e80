import { afterEach, beforeEach, expect, it } from 'vitest';
import { VMIS } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { CLUSTER_ROLES } from '#platform/kube/kinds/rbac';
import { resourceType } from '#platform/kube/kinds/resource-type';
import { isForbidden } from '#platform/kube/kube-error';
import type { Cluster } from '#testing/cluster';
import { type FleetHarness, fleetHarness, namespace } from '#testing/fleet-harness';
import { NODE_RULES } from './rbac.ts';

const BINDINGS = resourceType('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'clusterrolebindings', 'Cluster');
const USER = { name: 'system:serviceaccount:vimana-system:vimana-node', groups: ['system:authenticated'] };

let harness: FleetHarness;
let cluster: Cluster;
let admin: Client;
let agent: Client;
beforeEach(async () => {
  harness = await fleetHarness();
  ({ cluster, admin } = harness);
  await admin.create(CLUSTER_ROLES, { metadata: { name: 'node' }, rules: NODE_RULES });
  await admin.create(BINDINGS, {
    metadata: { name: 'node' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'node' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: USER.name }],
  });
  agent = cluster.clientFor(USER);
  await cluster.until(() =>
    agent.list(NODES).then(
      () => true,
      () => false,
    ),
  );
});
afterEach(() => cluster.stop());

it('a node agent can do its work with its rules', async () => {
  const { fleet, stop } = harness.start({ deregister: true }, agent);
  const vmi = await harness.makeInstance('m');
  await harness.createLauncherPod(vmi, 'kwok-node-1');
  await harness.untilPhase('m', 'Running');
  await harness.annotate('m', { 'vimana.io/reset': 'once' });
  await cluster.until(
    async () => (await harness.instance('m')).metadata.annotations?.['vimana.io/reset'] === undefined,
  );
  const migrationUid = 'b7a1b1a8-0000-4000-8000-000000000001';
  await harness.createLauncherPod(vmi, 'kwok-node-2', { name: 'target', migration: migrationUid });
  await harness.untilPod('target', ({ status }) => status?.phase === 'Running');
  const migrationState = {
    migrationUid,
    sourceNode: 'kwok-node-1',
    sourcePod: 'launcher-m',
    targetNode: 'kwok-node-2',
    targetPod: 'target',
  };
  await admin.patch(
    VMIS,
    'm',
    { type: 'merge', body: { status: { migrationState } } },
    { namespace, subresource: 'status' },
  );
  await cluster.until(async () => (await harness.instance('m')).status?.migrationState?.startTimestamp !== undefined);
  await cluster.clock.advance(1_000);
  await cluster.until(async () => (await harness.instance('m')).status?.nodeName === 'kwok-node-2');
  await admin.delete(PODS, 'target', { namespace });
  await harness.untilPodGone('target');
  await cluster.clock.advance(45_000);
  await fleet.scale(1);
  await stop();
  expect((await admin.list(NODES)).items).toEqual([]);
  expect(cluster.log.entries.filter(({ message, level }) => level === 'warn' && /could not/.test(message))).toEqual([]);
});

it('a node agent may do nothing beyond its rules', async () => {
  await harness.makeInstance('m');
  const attempts = [
    () => agent.delete(VMIS, 'm', { namespace }),
    () => agent.create(PODS, { metadata: { name: 'p', namespace }, spec: { containers: [] } }),
    () => agent.list(CLUSTER_ROLES),
    () => agent.get(resourceType('v1', 'Secret', 'secrets'), 's', { namespace }),
  ];
  for (const attempt of attempts) expect(isForbidden(await attempt().catch((error: unknown) => error))).toBe(true);
});
