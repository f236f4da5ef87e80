import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLUSTER_ROLES, type ClusterRole } from '#platform/kube/kinds/rbac';
import { type Cluster, startCluster } from '#testing/cluster';
import { runController } from '#testing/controller-deps';
import { aggregatedRules, clusterRoleAggregation } from './cluster-role-aggregation.ts';

const role = (name: string, labels: Record<string, string>, ...verbs: string[]): ClusterRole => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels },
  rules: verbs.map((verb) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] })),
});

describe('an aggregated role', () => {
  it('has the rules of the roles that it selects, ordered by selector and name, without duplicates', () => {
    const all: ClusterRole = {
      ...role('all', { to: 'x' }, 'own'),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'x' } }, { matchLabels: { to: 'y' } }] },
    };
    const roles = [
      all,
      role('c', { to: 'y' }, 'get', 'list'),
      role('b', { to: 'x' }, 'get'),
      role('a', { to: 'x' }, 'watch'),
      role('d', {}, 'delete'),
    ];
    expect(aggregatedRules(all, roles).map(({ verbs }) => verbs[0])).toEqual(['watch', 'get', 'list']);
  });
});

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster();
  runController(cluster, 'clusterrole-aggregation-controller', clusterRoleAggregation);
});
afterEach(() => cluster.stop());

describe('cluster role aggregation', () => {
  const count = async () => (await cluster.admin.get(CLUSTER_ROLES, 'edit')).rules?.length ?? 0;

  it('fills in the initial roles, and follows roles that are created, changed and deleted', async () => {
    await cluster.until(async () => (await count()) > 10);
    const first = await count();
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' };
    const rules = [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] }];
    await cluster.admin.create(CLUSTER_ROLES, { metadata: { name: 'widgets', labels }, rules });
    await cluster.until(async () => (await count()) === first + 1);
    await cluster.admin.patch(CLUSTER_ROLES, 'widgets', { type: 'merge', body: { metadata: { labels: null } } });
    await cluster.until(async () => (await count()) === first);
    await cluster.admin.patch(CLUSTER_ROLES, 'widgets', { type: 'merge', body: { metadata: { labels } } });
    await cluster.until(async () => (await count()) === first + 1);
    await cluster.admin.delete(CLUSTER_ROLES, 'widgets');
    await cluster.until(async () => (await count()) === first);
    expect(cluster.log.entries.filter(({ level }) => level === 'warn')).toEqual([]);
  });
});
