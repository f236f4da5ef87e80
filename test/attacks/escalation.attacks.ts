import { expect, it } from 'vitest';
import { attackSuite } from './support/attack-suite.ts';
import type { AttackTargetSource } from './support/attack-target.ts';

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const MERGE = 'application/merge-patch+json';

export function escalationAttacks(source: AttackTargetSource): void {
  attackSuite('escalation', source, (target) => {
    it('denies a label by which another role would aggregate cluster-admin', async () => {
      const rules = [
        { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['get', 'patch'] },
      ];
      const mallory = await target().user('label-mallory', { cluster: rules });
      const body = { metadata: { labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } } };
      const response = await mallory.send('PATCH', `${ROLES}/cluster-admin`, { contentType: MERGE, body });
      expect(response.status).toBe(403);
    });
  });
}
