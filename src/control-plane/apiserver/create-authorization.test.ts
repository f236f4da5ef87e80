import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { LEASES, type Lease } from '#platform/kube/kinds/node';
import { AUTHENTICATED } from './access/user.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';

const RBAC = 'rbac.authorization.k8s.io';
let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ insecure: true });
  const role = {
    metadata: { name: 'changes' },
    rules: [
      { apiGroups: ['', 'coordination.k8s.io'], resources: ['configmaps', 'leases'], verbs: ['patch', 'update'] },
    ],
  };
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: 'changes' };
  const binding = { metadata: { name: 'changes' }, roleRef, subjects: [{ apiGroup: RBAC, kind: 'User', name: 'u' }] };
  const type = (plural: string, kind: string) => ({ group: RBAC, version: 'v1', plural, kind, namespaced: false });
  await plane.client().create(type('clusterroles', 'ClusterRole'), role);
  await plane.client().create(type('clusterrolebindings', 'ClusterRoleBinding'), binding);
});
afterAll(() => plane.stop());

/** This is the same as over HTTP, which test/attacks compares with kube-apiserver. */
test('an in-process client that may only update objects cannot create any', async () => {
  const client = plane.client({ name: 'u', groups: [AUTHENTICATED] });
  const denied = (plural: string, group: string) => ({
    code: 403,
    message: expect.stringContaining(`User "u" cannot create resource "${plural}" in API group "${group}"`),
  });
  const metadata = { name: 'a', namespace: 'default' };
  const apply = client.apply(CONFIG_MAPS, { metadata }, { fieldManager: 'm' });
  await expect(apply).rejects.toMatchObject(denied('configmaps', ''));
  const update = client.update(LEASES, { metadata } as Lease);
  await expect(update).rejects.toMatchObject(denied('leases', 'coordination.k8s.io'));
});
