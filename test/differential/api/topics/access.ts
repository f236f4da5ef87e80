import type { Random } from '#platform/base/random';
import { corrupted } from '../plausible.ts';
import { collection, NAMESPACE, type Step } from '../step.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';
const USERS = ['jane', 'joe', `system:serviceaccount:${NAMESPACE}:default`];

/** Roles, the access of their subjects, and access reviews. */
export function access(random: Random): Step[] {
  const rule = () => ({
    apiGroups: [random.pick(['', '*', 'apps', 'differential.example'])],
    resources: random.pick([
      ['pods'],
      ['configmaps', 'configmaps/status'],
      ['*'],
      ['gadgets'],
      ['gadgets/scale'],
      ['*/scale'],
    ]),
    verbs: random.pick([['get'], ['get', 'list'], ['*'], ['create', 'delete'], ['watch']]),
    ...(random.next() < 0.2 ? { resourceNames: ['a'] } : {}),
  });
  const role = { metadata: { name: 'r' }, rules: [rule(), rule()] };
  const subjects = random.pick<object[]>([
    [{ kind: 'User', name: 'jane' }],
    [{ kind: 'ServiceAccount', name: 'default', namespace: NAMESPACE }],
    [{ kind: 'Group', name: 'system:authenticated' }],
  ]);
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' };
  const binding = { metadata: { name: 'b' }, roleRef, subjects };
  const steps: Step[] = [
    { method: 'POST', path: collection(RBAC, 'roles'), body: random.next() < 0.2 ? corrupted(random, role) : role },
    {
      method: 'POST',
      path: collection(RBAC, 'rolebindings'),
      body: random.next() < 0.3 ? corrupted(random, binding) : binding,
    },
    // The authorizer learns of roles by its informers.
    { method: 'GET', path: collection('v1', 'configmaps'), as: 'nobody', settles: true },
  ];
  for (let left = random.int(6, 10); left > 0; left--) steps.push(ask(random));
  return steps;
}

function ask(random: Random): Step {
  const attributes = {
    namespace: random.pick([NAMESPACE, 'other', '']),
    verb: random.pick(['get', 'list', 'create', 'delete', '*', 'approve']),
    group: random.pick(['', 'apps', 'differential.example', '*']),
    resource: random.pick(['pods', 'configmaps', 'gadgets', '*', '']),
    ...(random.next() < 0.3 ? { name: 'a' } : {}),
    ...(random.next() < 0.2 ? { subresource: 'scale' } : {}),
  };
  const spec = random.pick<object>([
    { user: 'nobody', resourceAttributes: attributes },
    { user: 'admin', groups: ['system:masters'], resourceAttributes: attributes },
    { user: 'nobody', nonResourceAttributes: { path: random.pick(['/healthz', '/metrics', '/api']), verb: 'get' } },
    { user: 'nobody', groups: ['system:authenticated'], nonResourceAttributes: { path: '/api', verb: 'get' } },
    { resourceAttributes: attributes },
    { user: 'x', resourceAttributes: attributes, nonResourceAttributes: { path: '/' } },
    {},
  ]);
  const review = (kind: string, path: string, body: object, as?: string): Step => ({
    method: 'POST',
    path,
    body: { apiVersion: 'authorization.k8s.io/v1', kind, ...body },
    ...(as === undefined ? {} : { as }),
  });
  switch (random.int(0, 5)) {
    case 0:
      return review('SubjectAccessReview', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec });
    case 1:
      return review('LocalSubjectAccessReview', collection('authorization.k8s.io/v1', 'localsubjectaccessreviews'), {
        metadata: { namespace: NAMESPACE },
        spec,
      });
    case 2:
      return review(
        'SelfSubjectAccessReview',
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        { spec: { resourceAttributes: attributes } },
        'nobody',
      );
    case 3:
      return {
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        as: random.pick(USERS),
      };
    case 4:
      return {
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: random.pick([{ token: 'x' }, { token: '' }, {}, { token: 'a.b.c', audiences: ['y'] }]),
        },
      };
    default:
      return {
        method: random.pick(['GET', 'DELETE', 'POST', 'PUT']),
        path: random.pick([
          collection('v1', 'secrets'),
          `${collection('v1', 'configmaps')}/x`,
          '/api/v1/nodes',
          '/api/v1/namespaces/other/pods',
          '/metrics',
          `${collection('apps/v1', 'deployments')}/d/scale`,
        ]),
        as: 'nobody',
        ...(random.next() < 0.3 ? { body: {} } : {}),
      };
  }
}
