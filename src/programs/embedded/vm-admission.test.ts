import { describe, expect, test } from 'vitest';
import { OPERATOR, testCluster as plainCluster } from '#control-plane/apiserver/admission/chain.fixture';
import { vmPlugins } from './vm-plugins.ts';

const testCluster = () => plainCluster({ plugins: vmPlugins() });

const NETWORKS = 'vmnetworks.novacron.io';

const network = (subnet: object = {}, metadata: object = {}) => ({
  apiVersion: 'novacron.io/v1alpha1',
  kind: 'VMNetwork',
  metadata: { name: 'n', ...metadata },
  spec: {
    type: 'bridge',
    config: { driver: 'linux-bridge', mtu: 1500 },
    subnets: [{ name: 's', cidr: '192.168.20.0/24', gateway: '192.168.20.254', ...subnet }],
  },
});

describe('Vimana kinds', () => {
  test('are rejected with all errors, of their schema and beyond', async () => {
    const cluster = await testCluster();
    const bad = network({ cidr: '192.168.20.0/40' });
    bad.spec.config.mtu = 1;
    const status = await cluster.refused(cluster.create(`${NETWORKS}/x`, bad));
    expect(status).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(status.message).toMatch(/^VMNetwork\.novacron\.io "n" is invalid: \[/);
    expect(status.details?.causes?.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['spec.config.mtu', 'spec.subnets[0].cidr']),
    );
  });

  test('are stored as admission has changed them', async () => {
    const cluster = await testCluster();
    const created = await cluster.create(`${NETWORKS}/x`, network());
    expect(cluster.get(`${NETWORKS}/x/n`)).toEqual(created);
  });

  test('may use generateName', async () => {
    const cluster = await testCluster();
    const made = await cluster.create(`${NETWORKS}/x`, network({}, { name: '', generateName: 'n-' }));
    expect(made.metadata.name).toMatch(/^n-\w{5}$/);
    const status = await cluster.refused(
      cluster.create(`${NETWORKS}/x`, network({ cidr: 'x' }, { name: '', generateName: 'n-' })),
    );
    expect(status.message).toContain('VMNetwork.novacron.io "n-" is invalid: spec.subnets[0].cidr');
  });
});

describe('an instance', () => {
  const INSTANCES = 'virtualmachineinstances.kubevirt.io';
  const instance = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'i' },
    spec: { domain: { devices: {}, memory: { guest: '1Gi' } } },
  };
  const grow = { spec: { domain: { memory: { guest: '2Gi' } } } };

  test('can be changed only with the verb operate', async () => {
    const cluster = await testCluster();
    await cluster.create(`${INSTANCES}/x`, instance);
    const unnamed = await cluster.refused(cluster.patch(`${INSTANCES}/x/i`, grow, { user: OPERATOR }));
    expect(unnamed.message).toContain('update of VMI object is restricted');
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'o' } };
    const rules = [{ apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['operate'] }];
    await cluster.create('clusterroles.rbac.authorization.k8s.io', { ...rbac, kind: 'ClusterRole', rules });
    await cluster.create('clusterrolebindings.rbac.authorization.k8s.io', {
      ...rbac,
      kind: 'ClusterRoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'o' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: OPERATOR.name }],
    });
    const { message, code } = await cluster.refused(cluster.patch(`${INSTANCES}/x/i`, grow));
    expect(code).toBe(422);
    expect(message).toContain('update of VMI object is restricted');
    await expect(cluster.patch(`${INSTANCES}/x/i`, grow, { user: OPERATOR })).resolves.toMatchObject(grow);
  });
});

describe('a migration', () => {
  const MIGRATIONS = 'virtualmachineinstancemigrations.kubevirt.io';
  const migrationOf = (vmiName: string, name: string) => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name },
    spec: { vmiName },
  });
  const instance = (name: string) => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name },
    spec: { domain: { devices: {}, memory: { guest: '1Gi' } } },
  });

  test('is rejected without an instance of its namespace, and beside an unfinished one of the same instance', async () => {
    const cluster = await testCluster();
    for (const name of ['web', 'db']) await cluster.create('virtualmachineinstances.kubevirt.io/x', instance(name));
    const missing = await cluster.refused(cluster.create(`${MIGRATIONS}/x`, migrationOf('none', 'a')));
    expect(missing).toMatchObject({ code: 422, message: expect.stringContaining('the VMI "x/none" does not exist') });
    const { metadata } = await cluster.create(`${MIGRATIONS}/x`, migrationOf('web', 'a'));
    const second = await cluster.refused(cluster.create(`${MIGRATIONS}/x`, migrationOf('web', 'b')));
    expect(second.message).toContain(
      `in-flight migration detected. Active migration job (${metadata.uid}) is currently already in progress for VMI web.`,
    );
    await cluster.create(`${MIGRATIONS}/x`, migrationOf('db', 'c'));
    const label = { metadata: { labels: { a: 'b' } } };
    await expect(cluster.patch(`${MIGRATIONS}/x/a`, label)).resolves.toMatchObject(label);
  });
});
