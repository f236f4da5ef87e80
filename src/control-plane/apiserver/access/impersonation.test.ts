import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Attributes } from './attributes.ts';
import type { RequestHeaders } from './bearer.ts';
import { bootstrapRbac } from './bootstrap.fixture.ts';
import { forbiddenMessage } from './forbidden.ts';
import { Impersonator, impersonationModes, requestedUser } from './impersonation.ts';
import type { Rbac } from './rbac.ts';
import type { PolicyRule } from './rbac-objects.ts';
import type { User } from './user.ts';

/**
 * Responses of kube-apiserver v1.36.3 to a SelfSubjectReview with these headers, sent by ServiceAccounts with these
 * rules.
 */
interface Answers {
  readonly senders: Readonly<Record<string, PolicyRule[]>>;
  readonly answers: readonly [string, RequestHeaders, Record<string, unknown>][];
}

const recorded = JSON.parse(readFileSync(new URL('impersonation.data.json', import.meta.url), 'utf8')) as Answers;

function rbacOfSenders(): Rbac {
  const rbac = bootstrapRbac();
  for (const [sender, rules] of Object.entries(recorded.senders)) {
    const name = `acc-sender-${sender}`;
    const subjects = [{ kind: 'ServiceAccount', name, namespace: 'acc' }];
    rbac.upsert('ClusterRole', { metadata: { name }, rules });
    rbac.upsert('ClusterRoleBinding', { metadata: { name }, roleRef: { kind: 'ClusterRole', name }, subjects });
  }
  return rbac;
}

function senderUser(sender: string): User {
  return {
    name: `system:serviceaccount:acc:acc-sender-${sender}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:acc', 'system:authenticated'],
    // Only this sender's token was bound to a pod, which ran on the node.
    ...(sender === 'assoc' ? { extra: { 'authentication.kubernetes.io/node-name': ['n7'] } } : {}),
  };
}

/** Responds to a SelfSubjectReview as the server does: impersonation first, then the roles of the impersonated user. */
function review(rbac: Rbac, impersonator: Impersonator, sender: User, headers: RequestHeaders) {
  const request = { user: sender, verb: 'create', group: 'authentication.k8s.io', resource: 'selfsubjectreviews' };
  const refuse = (attributes: Attributes, reason: string) => ({
    code: 403,
    message: forbiddenMessage(attributes, reason),
  });
  const desired = requestedUser(headers);
  if (!desired) return {};
  if ('problem' in desired) return { code: 400, message: desired.problem };
  const result = impersonator.impersonate(desired.user, request);
  if ('forbidden' in result) return refuse(result.forbidden, result.reason);
  const asOther = { ...request, user: result.user };
  const { allowed, reason } = rbac.authorize(asOther);
  if (!allowed) return refuse(asOther, reason);
  const { name: username, ...rest } = result.user;
  return { username, ...rest };
}

test('responses equal those of a real API server', () => {
  const rbac = rbacOfSenders();
  const impersonator = new Impersonator((attributes) => rbac.authorize(attributes));
  expect(recorded.answers.length).toBeGreaterThan(200);
  for (const [sender, headers, response] of recorded.answers) {
    const mine = review(rbac, impersonator, senderUser(sender), headers);
    expect(mine, `${sender} ${JSON.stringify(headers)}`).toEqual(response);
  }
});

const admin: User = { name: 'admin', groups: ['system:masters'] };
const request = { user: admin, verb: 'list', group: '', resource: 'pods', namespace: 'one' };
const become = (headers: RequestHeaders): unknown => {
  const desired = requestedUser(headers);
  return desired && 'user' in desired
    ? new Impersonator(() => ({ allowed: true, reason: '' })).impersonate(desired.user, request)
    : desired;
};

// These are the results of the same server when an administrator sent these headers.
test.each<[RequestHeaders, User]>([
  [{ 'impersonate-user': 'jane' }, { name: 'jane', groups: ['system:authenticated'] }],
  [
    {
      'impersonate-user': 'jane',
      'impersonate-group': ['a', 'b'],
      'impersonate-uid': '7',
      'impersonate-extra-foo': ['x', 'z'],
      'impersonate-extra-acme.com%2fbar': 'y',
    },
    {
      name: 'jane',
      uid: '7',
      groups: ['a', 'b', 'system:authenticated'],
      extra: { foo: ['x', 'z'], 'acme.com/bar': ['y'] },
    },
  ],
  [
    { 'impersonate-user': 'jane', 'impersonate-group': 'system:unauthenticated' },
    { name: 'jane', groups: ['system:unauthenticated'] },
  ],
  [{ 'impersonate-user': 'system:anonymous' }, { name: 'system:anonymous', groups: ['system:unauthenticated'] }],
  [
    { 'impersonate-user': 'system:anonymous', 'impersonate-group': 'system:authenticated' },
    { name: 'system:anonymous', groups: ['system:authenticated', 'system:unauthenticated'] },
  ],
  [
    { 'impersonate-user': 'system:serviceaccount:acc:bob' },
    {
      name: 'system:serviceaccount:acc:bob',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:acc', 'system:authenticated'],
    },
  ],
  [
    { 'impersonate-user': 'system:serviceaccount:acc:bob', 'impersonate-group': 'g' },
    { name: 'system:serviceaccount:acc:bob', groups: ['g', 'system:authenticated'] },
  ],
  [
    { 'impersonate-user': 'system:serviceaccount:acc' },
    { name: 'system:serviceaccount:acc', groups: ['system:authenticated'] },
  ],
])('%j is %j', (headers, user) => {
  expect(become(headers)).toMatchObject({ user });
});

test('an extra key may be the name of a property that every object inherits', () => {
  const desired = requestedUser({
    'impersonate-user': 'jane',
    'impersonate-extra-__proto__': 'x',
    'impersonate-extra-constructor': ['y'],
  });
  const extra = desired && 'user' in desired ? Object.entries(desired.user.extra ?? {}) : [];
  expect(extra).toEqual([
    ['__proto__', ['x']],
    ['constructor', ['y']],
  ]);
});

describe('impersonation without a user name', () => {
  test.each<[RequestHeaders, string]>([
    [
      { 'impersonate-group': ['a'] },
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a"}, Extra:map[string][]string(nil)} without impersonating a user name',
    ],
    [
      { 'impersonate-user': '', 'impersonate-uid': 'a' },
      'requested &user.DefaultInfo{Name:"", UID:"a", Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name',
    ],
    [
      { 'impersonate-extra-foo': 'a' },
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string(nil), Extra:map[string][]string{"foo":[]string{"a"}}} without impersonating a user name',
    ],
  ])('is rejected for the headers %j', (headers, problem) => {
    expect(requestedUser(headers)).toEqual({ problem });
  });

  test('is ignored if there are no other impersonation headers', () => {
    expect(requestedUser({ authorization: 'Bearer x', 'impersonate-user': '' })).toBeUndefined();
  });
});

test('the checks list the permissions that impersonation needs', () => {
  const desired: User = { name: 'system:serviceaccount:two:sa', groups: [] };
  const [first, last] = impersonationModes(desired, request);
  expect(first?.constraint).toBe('impersonate:serviceaccount');
  expect(first?.checks.map(({ attributes }) => attributes)).toEqual([
    { ...request, verb: 'impersonate-on:serviceaccount:list' },
    {
      user: admin,
      verb: 'impersonate:serviceaccount',
      group: 'authentication.k8s.io',
      resource: 'serviceaccounts',
      namespace: 'two',
      name: 'sa',
    },
  ]);
  expect(last?.checks.map(({ attributes }) => attributes)).toEqual([
    { user: admin, verb: 'impersonate', group: '', resource: 'serviceaccounts', namespace: 'two', name: 'sa' },
  ]);
});
