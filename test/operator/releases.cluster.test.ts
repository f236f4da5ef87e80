import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import type { HttpClient } from '#platform/kube/http/http-client';
import { NAMESPACES, SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { LEASES, NODES } from '#platform/kube/kinds/node';
import { resourceType } from '#platform/kube/kinds/resource-type';
import type { KubeObject } from '#platform/kube/kube-object';
import { missingAssets } from '../cluster/assets.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { hasKubectl, Kubectl } from '../e2e/support/kubectl.ts';
import { createMachines, machine, untilRunning } from './fleet-of-machines.ts';
import { helm, type Installation, installChart, type Replica } from './installation.ts';

const TIMEOUT = { timeout: 60_000, interval: 200 };
const namespace = 'default';
/** One release manages instances and kubevirt.io. The VMs of the other run as instances of the first. */
const FIRST = ['dialects.novacron=false', 'dialects.simulation=false'];
const SECOND = ['dialects.kubevirt=false', 'dialects.hypersdk=false', 'instances=false'];

interface Simulated extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly phase?: string };
}
const SIMULATED = resourceType<Simulated>(
  'simulation.node-classifier.io/v1alpha1',
  'VirtualMachine',
  'virtualmachines',
);
interface Binding extends KubeObject {
  readonly roleRef: object;
  readonly subjects: readonly object[];
}
const BINDINGS = resourceType<Binding>(
  'rbac.authorization.k8s.io/v1',
  'ClusterRoleBinding',
  'clusterrolebindings',
  'Cluster',
);
interface Hooks extends KubeObject {
  readonly webhooks: readonly { readonly clientConfig: { readonly caBundle?: string } }[];
}
const HOOKS = resourceType<Hooks>(
  'admissionregistration.k8s.io/v1',
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
  'Cluster',
);

describe.skipIf(missingAssets().length > 0 || !hasKubectl())('two releases in one cluster', () => {
  let cluster: RealCluster;
  let client: HttpClient;
  let kubectl: Kubectl;
  let first: Installation;
  let second: Installation;
  let operators: readonly [Replica, Replica];

  beforeAll(async () => {
    cluster = await startRealCluster({ nodes: 2 });
    client = await cluster.client();
    kubectl = new Kubectl(cluster.kubeconfig, cluster.folder);
    first = await installChart(cluster, { name: 'hypersdk-operator', namespace: 'hypersdk-system', set: FIRST });
    second = await installChart(cluster, { name: 'novacron-operator', namespace: 'novacron-system', set: SECOND });
    operators = [await first.startReplica(), await second.startReplica()];
    for (const each of operators) await each.untilReady();
  });
  afterAll(async () => {
    await first?.stop();
    await second?.stop();
    await cluster?.stop();
  });

  const simulated = (name: string) => ({
    metadata: { name, namespace },
    spec: { resources: { cpu: '1', memory: '1Gi' }, utilization: { cpu: '0.2', memory: '0.5' } },
  });
  const runs = async (name: string) =>
    await vi.waitFor(async () => {
      expect((await client.get(SIMULATED, name, { namespace })).status?.phase).toBe('Running');
    }, TIMEOUT);

  it('have their own names, including the lease', async () => {
    for (const { name, namespace: home } of [first, second]) {
      for (const kind of ['deployment', 'serviceaccount', 'service', 'poddisruptionbudget', 'role', 'rolebinding']) {
        const { out } = await kubectl.run(['-n', home, 'get', kind, '-o', 'name']);
        expect(out).toContain(`/${name}\n`);
      }
      await vi.waitFor(async () => {
        const { items } = await client.list(LEASES, { namespace: home });
        expect(items.map(({ metadata }) => metadata.name)).toEqual([name]);
      }, TIMEOUT);
    }
  });

  it('manage VMs of their own groups, which the one with instances runs', async () => {
    await vi.waitFor(() => createMachines(client, namespace, ['a']), TIMEOUT);
    await vi.waitFor(() => client.create(SIMULATED, simulated('s'), { namespace }), TIMEOUT);
    await untilRunning(client, namespace, 1, TIMEOUT.timeout);
    await runs('s');
    expect((await client.list(VMIS, { namespace })).items.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'a',
      's.simulation',
    ]);
    for (const each of operators) expect(each.log()).not.toMatch(/forbidden|"level":"error"/i);
  });

  it('reject invalid objects, each of its own groups', async () => {
    const [bad, other] = [machine('bad', namespace, { networks: [{ name: 'x' }] }), simulated('bad')];
    await expect(client.create(VMS, bad, { namespace })).rejects.toMatchObject({ code: 422 });
    const spec = { ...other.spec, resources: { cpu: '2500m', memory: '0.5' } };
    await expect(client.create(SIMULATED, { ...other, spec }, { namespace })).rejects.toMatchObject({ code: 422 });
  });

  it('continue without the other, except for instances, which wait for the one that manages them', async () => {
    await operators[1].kill();
    await createMachines(client, namespace, ['b']);
    await untilRunning(client, namespace, 2, TIMEOUT.timeout);
    operators = [operators[0], await second.startReplica()];
    await operators[1].untilReady();
    await operators[0].kill();
    await vi.waitFor(() => client.create(SIMULATED, simulated('t'), { namespace }), TIMEOUT);
    await vi.waitFor(async () => expect(await operators[1].measured('vimana_leader')).toBe(1), TIMEOUT);
    operators = [await first.startReplica(), operators[1]];
    await operators[0].untilReady();
    await runs('t');
  });

  it('cannot both have instances', async () => {
    const args = ['install', 'third', 'deploy/helm/vimana', '-n', 'third', '--create-namespace'];
    await expect(helm(cluster, ...args, '--set', 'dialects.kubevirt=false')).rejects.toThrow(/exists|belong/);
  });

  it('issue another certificate if the shared one is lost, and the API server trusts it', async () => {
    const trusted = async () =>
      (await client.get(HOOKS, first.name)).webhooks.map(({ clientConfig }) => clientConfig.caBundle ?? '');
    const before = await trusted();
    expect(before[0]).not.toBe('');
    const secret = `${first.name}-webhook-cert`;
    const lost = JSON.stringify([{ op: 'remove', path: '/data' }]);
    const { code } = await kubectl.run(['-n', first.namespace, 'patch', 'secret', secret, '--type=json', '-p', lost]);
    expect(code).toBe(0);
    // The check runs once a minute, and immediately at startup.
    await operators[0].stop();
    operators = [await first.startReplica(), operators[1]];
    await operators[0].untilReady();
    await vi.waitFor(async () => {
      const now = await trusted();
      expect(now.every((bundle) => bundle !== '' && bundle !== before[0])).toBe(true);
    }, TIMEOUT);
    await vi.waitFor(() => createMachines(client, namespace, ['trusted']), TIMEOUT);
    await untilRunning(client, namespace, 3, TIMEOUT.timeout);
  });

  describe('grant users permissions by well-known roles', () => {
    const can = async (role: string, verb: string, what: string): Promise<boolean> => {
      const [named = '', subresource = ''] = what.split('/');
      const [resource = '', ...group] = named.split('.');
      const spec = {
        user: `system:serviceaccount:people:${role}`,
        resourceAttributes: { namespace, verb, group: group.join('.'), resource, subresource },
      };
      const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
      const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
      const answer = await client.request({ method: 'POST', path, body });
      return (answer.body as { status: { allowed: boolean } }).status.allowed;
    };
    const roles = ['view', 'edit', 'admin', 'hypersdk-operator-dashboard'] as const;

    beforeAll(async () => {
      await client.create(NAMESPACES, { metadata: { name: 'people' } });
      for (const name of roles) {
        await client.create(SERVICE_ACCOUNTS, { metadata: { name, namespace: 'people' } });
        await client.create(BINDINGS, {
          metadata: { name: `people-${name}` },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
          subjects: [{ kind: 'ServiceAccount', name, namespace: 'people' }],
        });
      }
      await vi.waitFor(
        async () => expect(await can('view', 'list', 'virtualmachines.kubevirt.io')).toBe(true),
        TIMEOUT,
      );
    });

    it.each([
      ['list', 'virtualmachines.kubevirt.io', [true, true, true, true]],
      ['list', 'virtualmachines.simulation.node-classifier.io', [true, true, true, false]],
      ['watch', 'virtualmachineinstances.kubevirt.io', [true, true, true, true]],
      ['create', 'virtualmachines.hypersdk.io', [false, true, true, false]],
      ['delete', 'virtualmachines.kubevirt.io', [false, true, true, false]],
      ['update', 'virtualmachines.subresources.kubevirt.io/start', [false, true, true, false]],
      ['deletecollection', 'virtualmachines.kubevirt.io', [false, false, true, false]],
      ['update', 'virtualmachines.kubevirt.io/status', [false, false, false, false]],
      ['list', 'nodes', [false, false, false, true]],
      ['get', 'secrets', [false, true, true, false]],
    ])('%s %s', async (verb, what, expected) => {
      expect(await Promise.all(roles.map((role) => can(role, verb, what)))).toEqual(expected);
    });

    it('let a user with the view role see the fleet and change nothing', async () => {
      const looking = await cluster.client(await cluster.tokenFor({ namespace: 'people', name: roles[3] }));
      expect((await looking.list(VMS)).items.length).toBeGreaterThan(0);
      expect((await looking.list(NODES)).items).toHaveLength(2);
      await expect(looking.delete(VMS, 'a', { namespace })).rejects.toMatchObject({ code: 403 });
    });
  });
});
