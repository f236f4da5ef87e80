import { describe, expect, test } from 'vitest';
import { bootstrapRbac } from './bootstrap.fixture.ts';
import { forbiddenWrite } from './forbidden.ts';
import { missingPermissions } from './missing-permissions.ts';
import { checkBindingWrite, checkRoleWrite } from './rbac-escalation.ts';
import type { ClusterRole, PolicyRule } from './rbac-objects.ts';
import type { User } from './user.ts';

const bob: User = {
  name: 'system:serviceaccount:acc:bob',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:acc', 'system:authenticated'],
};

/** Message of a real server before the rules. */
const LACKS =
  'user "system:serviceaccount:acc:bob" (groups=["system:serviceaccounts" "system:serviceaccounts:acc" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n';

function rbacWith(...rules: PolicyRule[]) {
  const rbac = bootstrapRbac();
  const name = 'acc-role-editor';
  rbac.upsert('ClusterRole', {
    metadata: { name },
    rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }, ...rules],
  });
  const subjects = [{ kind: 'ServiceAccount', name: 'bob', namespace: 'acc' }];
  rbac.upsert('ClusterRoleBinding', { metadata: { name }, roleRef: { kind: 'ClusterRole', name }, subjects });
  return rbac;
}

function writeRole(
  role: Omit<ClusterRole, 'metadata'>,
  more: { rules?: PolicyRule[]; old?: ClusterRole; user?: User } = {},
) {
  return checkRoleWrite(rbacWith(...(more.rules ?? [])), {
    user: more.user ?? bob,
    resource: 'clusterroles',
    namespace: '',
    requestName: more.old ? 'r' : '',
    role: { metadata: { name: 'r' }, ...role },
    ...(more.old ? { old: more.old } : {}),
  });
}

describe('writing a role', () => {
  test('reports all permissions that the writer lacks, as a real server does', () => {
    const rules = [
      { apiGroups: ['', 'apps'], resources: ['secrets', 'pods'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['configmaps'], resourceNames: ['a', 'b'], verbs: ['get', 'delete'] },
      { nonResourceURLs: ['/foo', '/healthz'], verbs: ['get'] },
    ];
    expect(writeRole({ rules })).toEqual({
      reason: 'Forbidden',
      detail: `${LACKS}{APIGroups:[""], Resources:["configmaps"], ResourceNames:["a"], Verbs:["get" "delete"]}
{APIGroups:[""], Resources:["configmaps"], ResourceNames:["b"], Verbs:["get" "delete"]}
{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}
{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}
{APIGroups:["apps"], Resources:["secrets"], Verbs:["get" "list"]}
{NonResourceURLs:["/foo"], Verbs:["get"]}`,
    });
  });

  test('groups verbs by resource, and lists those of a path one by one', () => {
    const rules = [
      { nonResourceURLs: ['/a', '/b*'], verbs: ['get', 'post'] },
      { apiGroups: ['x'], resources: ['y'], verbs: ['get', 'get'] },
      { apiGroups: ['x'], resources: ['y'], verbs: ['list'] },
    ];
    expect(writeRole({ rules })).toEqual({
      reason: 'Forbidden',
      detail: `${LACKS}{APIGroups:["x"], Resources:["y"], Verbs:["get" "get" "list"]}
{NonResourceURLs:["/a"], Verbs:["get"]}
{NonResourceURLs:["/a"], Verbs:["post"]}
{NonResourceURLs:["/b*"], Verbs:["get"]}
{NonResourceURLs:["/b*"], Verbs:["post"]}`,
    });
  });

  test('reports which bound roles could not be read', () => {
    const rbac = rbacWith();
    const subjects = [{ kind: 'ServiceAccount', name: 'bob', namespace: 'acc' }];
    const roleRef = { kind: 'ClusterRole', name: 'acc-missing' };
    rbac.upsert('ClusterRoleBinding', { metadata: { name: 'z' }, roleRef, subjects });
    const role = { metadata: { name: 'e1' }, rules: [{ apiGroups: ['x'], resources: ['*'], verbs: ['*'] }] };
    const write = { user: bob, resource: 'roles' as const, namespace: 'acc', requestName: '', role };
    expect(checkRoleWrite(rbac, write)).toEqual({
      reason: 'Forbidden',
      detail: `${LACKS}{APIGroups:["x"], Resources:["*"], Verbs:["*"]}; resolution errors: [roles.rbac.authorization.k8s.io "acc-missing" not found]`,
    });
  });

  test('is allowed for permissions that the writer has, with the verb escalate, and for system:masters', () => {
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }];
    expect(writeRole({ rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] })).toBeUndefined();
    expect(writeRole({ rules })?.reason).toBe('Forbidden');
    const escalate = { verbs: ['escalate'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'] };
    expect(writeRole({ rules }, { rules: [escalate] })).toBeUndefined();
    expect(writeRole({ rules }, { user: { name: 'root', groups: ['system:masters'] } })).toBeUndefined();
  });

  test('requires all permissions if it has an aggregation rule', () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    expect(writeRole({ aggregationRule })).toEqual({
      reason: 'Forbidden',
      detail: 'must have cluster-admin privileges to use the aggregationRule',
    });
    const everything = [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ];
    expect(writeRole({ aggregationRule }, { rules: everything })).toBeUndefined();
  });

  test('is allowed if the change grants nothing', () => {
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }];
    const old = { metadata: { name: 'r' }, rules };
    expect(writeRole({ rules: [{ ...rules[0], verbs: ['get'], resourceNames: [] }] }, { old })).toBeUndefined();
    expect(writeRole({ rules: [...rules, ...rules] }, { old })?.reason).toBe('Forbidden');
    // This label would make another role aggregate it.
    expect(writeRole({ rules }, { old: { ...old, metadata: { name: 'r', labels: { a: '' } } } })?.reason).toBe(
      'Forbidden',
    );
  });

  test('requires all permissions to delete or change an aggregation rule', () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const old = { metadata: { name: 'r' }, rules: [], aggregationRule };
    const denied = { reason: 'Forbidden', detail: 'must have cluster-admin privileges to use the aggregationRule' };
    expect(writeRole({ rules: [] }, { old })).toEqual(denied);
    expect(writeRole({ rules: [], aggregationRule: { clusterRoleSelectors: [] } }, { old })).toEqual(denied);
    expect(writeRole({ rules: [], aggregationRule: { clusterRoleSelectors: [{}] } }, { old })).toEqual(denied);
    expect(writeRole({ rules: [], aggregationRule }, { old })).toBeUndefined();
  });
});

describe('binding a role', () => {
  const toProxier = { kind: 'ClusterRole', name: 'system:node-proxier' };
  const write = (name: string, kind = 'ClusterRole') => ({
    user: bob,
    resource: 'clusterrolebindings' as const,
    namespace: '',
    binding: { metadata: { name: 'b' }, roleRef: { kind, name } },
  });

  test('that grants more than the writer has is rejected with the missing permissions', () => {
    expect(checkBindingWrite(rbacWith(), write('system:node-proxier'))).toEqual({
      reason: 'Forbidden',
      detail: `${LACKS}{APIGroups:[""], Resources:["endpoints"], Verbs:["list" "watch"]}
{APIGroups:[""], Resources:["events"], Verbs:["create" "patch" "update"]}
{APIGroups:[""], Resources:["nodes"], Verbs:["get" "list" "watch"]}
{APIGroups:[""], Resources:["services"], Verbs:["list" "watch"]}
{APIGroups:["discovery.k8s.io"], Resources:["endpointslices"], Verbs:["list" "watch"]}
{APIGroups:["events.k8s.io"], Resources:["events"], Verbs:["create" "patch" "update"]}
{APIGroups:["networking.k8s.io"], Resources:["servicecidrs"], Verbs:["list" "watch"]}`,
    });
  });

  test('that does not exist is rejected, unless the writer may bind it', () => {
    const bind = {
      verbs: ['bind'],
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles'],
      resourceNames: ['nosuch'],
    };
    expect(checkBindingWrite(rbacWith(), write('nosuch'))).toEqual({ reason: 'NotFound', name: 'nosuch' });
    expect(checkBindingWrite(rbacWith(bind), write('nosuch'))).toBeUndefined();
    expect(checkBindingWrite(rbacWith(bind), write('system:node-proxier'))?.reason).toBe('Forbidden');
  });

  test('again to the same subjects is allowed', () => {
    const old = { metadata: { name: 'b' }, roleRef: toProxier, subjects: [] };
    const again = { ...write('system:node-proxier'), old };
    expect(checkBindingWrite(rbacWith(), again)).toBeUndefined();
    const more = { ...again, binding: { ...old, subjects: [{ kind: 'User', name: 'eve' }] } };
    expect(checkBindingWrite(rbacWith(), more)?.reason).toBe('Forbidden');
  });

  test('reports the messages of a real server', () => {
    const user = bob;
    const attributes = { user, verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'roles', name: 'e1' };
    expect(forbiddenWrite(attributes, 'because')).toMatchObject({
      message: 'roles.rbac.authorization.k8s.io "e1" is forbidden: because',
      details: { name: 'e1', group: 'rbac.authorization.k8s.io', kind: 'roles' },
    });
  });
});

const pods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };

test.each<[string, PolicyRule, PolicyRule, boolean]>([
  ['all names cover one', pods, { ...pods, resourceNames: ['a'] }, true],
  ['one name does not cover all', { ...pods, resourceNames: ['a'] }, pods, false],
  ['one name does not cover another', { ...pods, resourceNames: ['a'] }, { ...pods, resourceNames: ['b'] }, false],
  ['a resource does not cover its subresource', pods, { ...pods, resources: ['pods/log'] }, false],
  ['a wildcard covers a subresource', { ...pods, resources: ['*'] }, { ...pods, resources: ['pods/log'] }, true],
  ['*/log covers pods/log', { ...pods, resources: ['*/log'] }, { ...pods, resources: ['pods/log'] }, true],
  ['a list does not cover the wildcard', { ...pods, verbs: ['get', 'list'] }, { ...pods, verbs: ['*'] }, false],
  [
    '/a/* covers /a/b',
    { verbs: ['get'], nonResourceURLs: ['/a/*'] },
    { verbs: ['get'], nonResourceURLs: ['/a/b'] },
    true,
  ],
  [
    '/a/* does not cover /a',
    { verbs: ['get'], nonResourceURLs: ['/a/*'] },
    { verbs: ['get'], nonResourceURLs: ['/a'] },
    false,
  ],
])('%s', (_name, owned, desired, covered) => {
  expect(missingPermissions([owned], [desired]).length === 0).toBe(covered);
});
