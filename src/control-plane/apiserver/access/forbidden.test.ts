import { expect, test } from 'vitest';
import type { Attributes } from './attributes.ts';
import { forbiddenMessage, forbiddenStatus } from './forbidden.ts';

const user = { name: 'jane', groups: [] };

// These are verbatim from kube-apiserver v1.36.3.
test.each<[string, Attributes, string]>([
  [
    'pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope: RBAC: clusterrole.rbac.authorization.k8s.io "acc-missing" not found',
    { user, verb: 'list', group: '', resource: 'pods' },
    'RBAC: clusterrole.rbac.authorization.k8s.io "acc-missing" not found',
  ],
  [
    'deployments.apps is forbidden: User "jane" cannot deletecollection resource "deployments" in API group "apps" in the namespace "acc"',
    { user, verb: 'deletecollection', group: 'apps', resource: 'deployments', namespace: 'acc' },
    '',
  ],
  [
    'deployments.apps "d" is forbidden: User "jane" cannot patch resource "deployments/scale" in API group "apps" in the namespace "acc"',
    { user, verb: 'patch', group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'acc', name: 'd' },
    '',
  ],
  [
    'namespaces "acc" is forbidden: User "ja\\"ne" cannot get resource "namespaces" in API group "" in the namespace "acc"',
    {
      user: { name: 'ja"ne', groups: [] },
      verb: 'get',
      group: '',
      resource: 'namespaces',
      namespace: 'acc',
      name: 'acc',
    },
    '',
  ],
  ['forbidden: User "jane" cannot post path "/foo/bar"', { user, verb: 'post', path: '/foo/bar' }, ''],
])('%s', (message, attributes, reason) => {
  expect(forbiddenMessage(attributes, reason)).toBe(message);
});

test('the status names the object, as that of a real server does', () => {
  const attributes = { user, verb: 'get', group: 'apps', resource: 'deployments', subresource: 'scale', name: 'd' };
  expect(forbiddenStatus(attributes)).toMatchObject({
    kind: 'Status',
    status: 'Failure',
    reason: 'Forbidden',
    code: 403,
    details: { name: 'd', group: 'apps', kind: 'deployments' },
  });
  expect(forbiddenStatus({ user, verb: 'list', group: '', resource: 'pods' }).details).toEqual({ kind: 'pods' });
  expect(forbiddenStatus({ user, verb: 'get', path: '/foo' }).details).toEqual({});
});
