import { expect, test } from 'vitest';
import { formatFieldError } from '#platform/base/field-error';
import { type TokenRequestSpec, tokenLifetime, tokenSubject, validateTokenRequest } from './token-request.ts';

const ISSUER = 'https://kubernetes.default.svc';
const bob = { namespace: 'acc', name: 'bob', uid: 'u1' };
const lookup = {
  pod: (name: string) =>
    name.startsWith('p')
      ? { name, uid: 'u2', serviceAccountName: name === 'p2' ? 'joe' : 'bob', nodeName: 'n1' }
      : undefined,
  secret: (name: string) => (name === 's1' ? { name, uid: 'u3' } : undefined),
  node: (name: string) => (name === 'n1' ? { name, uid: 'u4' } : undefined),
};
const account = { namespace: 'acc', serviceAccount: { name: 'bob', uid: 'u1' } };
const bind = (kind: string, name: string, uid?: string) => ({
  boundObjectRef: { kind, apiVersion: 'v1', name, ...(uid ? { uid } : {}) },
});

test.each<[TokenRequestSpec, string[]]>([
  [{}, []],
  [{ expirationSeconds: 600 }, []],
  [{ expirationSeconds: null }, []],
  [
    { expirationSeconds: 599 },
    ['spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes'],
  ],
  [
    { expirationSeconds: 0 },
    ['spec.expirationSeconds: Invalid value: 0: may not specify a duration less than 10 minutes'],
  ],
  [
    { expirationSeconds: 4_294_967_297 },
    ['spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds'],
  ],
])('%j is invalid with %j', (spec, problems) => {
  expect(validateTokenRequest(spec).map(formatFieldError)).toEqual(problems);
});

test.each<[TokenRequestSpec, object]>([
  [{}, account],
  [bind('Secret', 's1'), { ...account, secret: { name: 's1', uid: 'u3' } }],
  [bind('Node', 'n1', 'u4'), { ...account, node: { name: 'n1', uid: 'u4' } }],
  [bind('Pod', 'p1'), { ...account, pod: { name: 'p1', uid: 'u2' }, node: { name: 'n1', uid: 'u4' } }],
])('%j creates a token for %j', (spec, subject) => {
  expect(tokenSubject(bob, spec, lookup)).toEqual(subject);
});

test('a token for a pod on an unknown node contains only the name of the node', () => {
  const elsewhere = { ...lookup, node: () => undefined };
  expect(tokenSubject(bob, bind('Pod', 'p1'), elsewhere)).toMatchObject({ node: { name: 'n1' } });
});

// These are verbatim from kube-apiserver v1.36.3.
test.each<[TokenRequestSpec, object]>([
  [bind('Foo', 'x'), { reason: 'BadRequest', message: 'cannot bind token to object of type /v1, Kind=Foo' }],
  [
    { boundObjectRef: { kind: 'Foo', apiVersion: 'apps/v1', name: 'x' } },
    { reason: 'BadRequest', message: 'cannot bind token to object of type apps/v1, Kind=Foo' },
  ],
  [{ boundObjectRef: {} }, { reason: 'BadRequest', message: 'cannot bind token to object of type /, Kind=' }],
  [bind('Pod', ''), { reason: 'BadRequest', message: 'Name parameter required.' }],
  [bind('Pod', 'x'), { reason: 'NotFound', message: 'pods "x" not found', details: { name: 'x', kind: 'pods' } }],
  [bind('Node', 'x'), { reason: 'NotFound', message: 'nodes "x" not found', details: { name: 'x', kind: 'nodes' } }],
  [
    bind('Secret', 's1', 'abc'),
    {
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on Secret "s1": the UID in the bound object reference (abc) does not match the UID in record. The object might have been deleted and then recreated',
      details: { name: 's1', kind: 'Secret' },
    },
  ],
  [
    bind('Pod', 'p2'),
    {
      reason: 'BadRequest',
      message: 'cannot bind token for serviceaccount "bob" to pod running with different serviceaccount name.',
    },
  ],
])('%j is rejected with %j', (spec, refusal) => {
  expect(tokenSubject(bob, spec, lookup)).toEqual(refusal);
});

const inPod = { ...account, pod: { name: 'p1', uid: 'u2' } };

test.each([
  [{}, inPod, { expirationSeconds: 3600 }],
  [{ expirationSeconds: 3607 }, inPod, { expirationSeconds: 31_536_000, warnAfterSeconds: 3607 }],
  [{ expirationSeconds: 3607, audiences: [ISSUER] }, inPod, { expirationSeconds: 31_536_000, warnAfterSeconds: 3607 }],
  [{ expirationSeconds: 3607, audiences: [ISSUER, 'vault'] }, inPod, { expirationSeconds: 3607 }],
  [{ expirationSeconds: 3607 }, account, { expirationSeconds: 3607 }],
  [{ expirationSeconds: 3608 }, inPod, { expirationSeconds: 3608 }],
])('%j for %j lasts %j', (spec, subject, lifetime) => {
  expect(tokenLifetime(spec, subject, ISSUER)).toEqual(lifetime);
});
